"""Figures of some runs: quality against what it takes, a radar of metrics, and how a metric is spread."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from django.urls import reverse

from evaluation.queries.differences import metric_label
from evaluation.queries.rows import RunRow
from evaluation.scoring.scales import scale_of
from workbench.charts.figures import Figure, hover_lines, score_axis
from workbench.charts.palette import SERIES, colour, model_shapes
from workbench.templatetags.workbench import money, reader_name, seconds

_RINGS = (0.25, 0.5, 0.75, 1.0)
BOXES = "A box holds the middle half; solid line: the median, dotted: the mean."


def cost_of(row: RunRow) -> float | None:
    """Return what an answer of a run costs in dollars."""
    cost, answers = row.run.took.get("cost_usd"), row.run.took.get("answers")
    return None if cost is None or not answers else cost / answers


def latency_of(row: RunRow) -> float | None:
    """Return the median latency of a run's answers in seconds."""
    value: float | None = row.run.took.get("latency_p50")
    return value


def quality_against(
    rows: Sequence[RunRow], series: Mapping[str, int], score: str, taken: Mapping[int, float], *, in_dollars: bool
) -> Figure:
    """A dot a run: its score against what an answer takes; a line joins those that no other run beats in both.

    `taken`: seconds or dollars an answer by run id.
    """
    shown = [row for row in rows if row.run.pk in taken and row.mean(score) is not None]
    text = money if in_dollars else seconds
    shapes = model_shapes(shown)
    by_prompt: dict[str, list[RunRow]] = {}
    for row in shown:
        by_prompt.setdefault(row.prompt_name, []).append(row)
    traces = [_dots(of_one, name, series, shapes, score, taken, text) for name, of_one in by_prompt.items()]
    values = [value for row in shown if (value := row.mean(score)) is not None]
    axis = _taken_axis(taken, in_dollars=in_dollars)
    layout = {"xaxis": axis, "yaxis": score_axis(score, values), "height": 380, **_LEGEND}
    line = _front_line(front(shown, score, taken), score, taken, in_dollars=in_dollars)
    return {"data": [line, *traces] if shown else [], "layout": layout}


def _front_line(best: Sequence[RunRow], score: str, taken: Mapping[int, float], *, in_dollars: bool) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "No other run is both better and cheaper" if in_dollars else "No other run is both better and faster",
        "x": [taken[row.run.pk] for row in best],
        "y": [row.mean(score) for row in best],
        "line": {"color": "var(--text-quiet)", "width": 1.5, "dash": "dot", "shape": "hv"},
        "hoverinfo": "skip",
    }


def _taken_axis(taken: Mapping[int, float], *, in_dollars: bool) -> Figure:
    axis: Figure = {
        "title": {"text": "Cost of an answer ($)" if in_dollars else "Median latency of an answer (s)"},
        "rangemode": "tozero",
        "showgrid": False,
    }
    return axis if any(taken.values()) else axis | {"range": [0, 1], "tickvals": [0]}


_LEGEND: Figure = {"showlegend": True, "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}}


def front(rows: Sequence[RunRow], score: str, taken: Mapping[int, float]) -> list[RunRow]:
    """Return the runs that no other run beats in the score without taking more, the least first."""
    sign = 1 if scale_of(score).higher_is_better else -1
    best, reached = [], -math.inf
    for row in sorted(rows, key=lambda row: (taken[row.run.pk], -sign * (row.mean(score) or 0.0))):
        value = sign * (row.mean(score) or 0.0)
        if value > reached:
            best.append(row)
            reached = value
    return best


def _dots(
    members: Sequence[RunRow],
    name: str,
    series: Mapping[str, int],
    shapes: Mapping[str, str],
    score: str,
    taken: Mapping[int, float],
    text: Any,
) -> Figure:
    own = colour(series.get(name, SERIES - 1))
    return {
        "type": "scatter",
        "mode": "markers",
        "name": escape(name),
        "x": [taken[row.run.pk] for row in members],
        "y": [row.mean(score) for row in members],
        "customdata": [reverse("run", args=[row.run.pk]) for row in members],
        "text": ["<br>".join([*hover_lines(row, score), f"{text(taken[row.run.pk])} an answer"]) for row in members],
        "hovertemplate": "%{text}<extra></extra>",
        "cliponaxis": False,
        "marker": {"color": own, "size": 9, "symbol": [shapes[reader_name(row.settings)] for row in members]},
    }


def radar(runs: Mapping[str, Mapping[str, float | None]], names: Sequence[str]) -> Figure:
    """A polygon a run over spokes of metrics, from the worst in the middle to the best at the rim.

    `runs`: the value of each metric, by the run's name. Drawn with lines: no published bundle of Plotly between a
    third and the whole knows polar axes.
    """
    angles = [math.pi / 2 - 2 * math.pi * at / len(names) for at in range(len(names))]
    data: list[Figure] = [_ring(angles, size) for size in _RINGS]
    data += [_ring([angle], 1.0, spoke=True) for angle in angles]
    data.append(_spoke_names(angles, names))
    for place, (run, values) in enumerate(runs.items()):
        data.append(_polygon(run, [values.get(name) for name in names], names, angles, place))
    hidden = {"visible": False, "fixedrange": True}
    return {
        "data": data,
        "layout": {
            "height": 440,
            "xaxis": hidden | {"range": [-2.1, 2.1]},
            "yaxis": hidden | {"range": [-1.25, 1.25], "scaleanchor": "x"},
            "margin": {"t": 8, "b": 8, "l": 8, "r": 8},
            **_LEGEND,
        },
        "table": {
            "columns": ["Run", *map(metric_label, names)],
            "rows": [[run, *(values.get(name) for name in names)] for run, values in runs.items()],
        },
    }


def _ring(angles: Sequence[float], size: float, *, spoke: bool = False) -> Figure:
    closed = [*angles, angles[0]]
    places = [(size * math.cos(angle), size * math.sin(angle)) for angle in closed]
    if spoke:
        places[0] = (0.0, 0.0)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for x, _ in places],
        "y": [y for _, y in places],
        "line": {"color": "var(--line)", "width": 1},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _spoke_names(angles: Sequence[float], names: Sequence[str]) -> Figure:
    sides = ["middle center" if abs(math.cos(at)) < 0.2 else _side(at) for at in angles]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [1.06 * math.cos(angle) for angle in angles],
        "y": [1.12 * math.sin(angle) for angle in angles],
        "text": [escape(metric_label(name)).replace(" ", "<br>", 1) for name in names],
        "textposition": sides,
        "textfont": {"color": "var(--text)", "size": 12.5},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _side(angle: float) -> str:
    return "middle right" if math.cos(angle) > 0 else "middle left"


def _polygon(
    run: str, values: Sequence[float | None], names: Sequence[str], angles: Sequence[float], place: int
) -> Figure:
    """Return a run's polygon; a metric without a value has no corner."""
    corners = [
        (goodness(name, value), angle, f"{metric_label(name)} {scale_of(name).text(value)}")
        for name, value, angle in zip(names, values, angles, strict=True)
        if value is not None
    ]
    closed = [*corners, corners[0]] if corners else []
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": escape(run),
        "x": [size * math.cos(angle) for size, angle, _ in closed],
        "y": [size * math.sin(angle) for size, angle, _ in closed],
        "text": [f"<b>{escape(run)}</b><br>{words}" for _, _, words in closed],
        "hovertemplate": "%{text}<extra></extra>",
        "line": {"color": colour(place), "width": 2},
        "marker": {"color": colour(place), "size": 6},
    }


def goodness(name: str, value: float) -> float:
    """Return where a value lies between the worst (0) and the best (1) of its metric's range."""
    scale = scale_of(name)
    place = min(1.0, max(0.0, scale.place(value) or 0.0))
    return place if scale.higher_is_better else 1.0 - place


def spread(values: Mapping[str, Sequence[float]], score: str) -> Figure:
    """A box a run: the middle half of a metric's values by question, the median, and every value beyond."""
    data: list[Figure] = [
        {
            "type": "box",
            "name": escape(run),
            "y": list(each),
            "boxpoints": "outliers",
            "boxmean": True,
            "marker": {"color": colour(place), "size": 5},
            "line": {"color": colour(place), "width": 1.5},
        }
        for place, (run, each) in enumerate(values.items())
    ]
    drawn = [value for each in values.values() for value in each]
    layout = {
        "yaxis": score_axis(score, drawn),
        "xaxis": {"type": "category", "showgrid": False},
        "showlegend": False,
        "height": 380,
    }
    return {"data": data if drawn else [], "layout": layout}
