"""Figures as plain dicts for Plotly: the scores of runs against a setting. Colours are names of CSS tokens."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from statistics import fmean
from typing import Any

from django.urls import reverse

from evaluation.queries.differences import metric_label
from evaluation.queries.rows import RunRow
from evaluation.queries.settings import all_settings, as_number, setting_label
from evaluation.scoring.scales import scale_of
from evaluation.spec import run_settings
from workbench.charts.palette import SERIES, colour, model_shapes
from workbench.templatetags.workbench import reader_name, retrieving

Figure = dict[str, Any]

CHUNK_SIZE = "chunk_size"
DIRECT_LABELS = 4
"""Up to so many series are labelled beside their dots; more get a legend."""
_LABEL_HEIGHT = 0.13
"""Least distance of two labels, as a share of the y axis."""
_LABEL_ROOM, _WIDEST_LABEL = 136, 260
MANY_DOTS = 60
"""With more dots the intervals would hide them: then only the hover shows them."""
_MOST_TICKS = 12
_LOG_FROM = 4
"""An axis whose ends are so many times apart is logarithmic."""


@dataclass(frozen=True)
class Dot:
    """Runs with the same settings and questions at the value `x` of a setting: the newest first, repeats behind it."""

    x: float
    rows: Sequence[RunRow]
    score: str

    @property
    def row(self) -> RunRow:
        """The newest of them."""
        return self.rows[0]

    @property
    def means(self) -> list[float]:
        """The score of each."""
        return [float(row.metrics[self.score].mean or 0.0) for row in self.rows]

    @property
    def y(self) -> float:
        """The mean over the repeats."""
        return fmean(self.means)

    @property
    def ends(self) -> tuple[float, float]:
        """The 95 % interval of the newest of them; its mean where it has none."""
        summary = self.row.metrics[self.score]
        low, high = summary.ci_low, summary.ci_high
        return (self.y, self.y) if low is None or high is None else (low, high)

    @property
    def spread(self) -> tuple[float, float]:
        """The lowest and the highest of the repeats."""
        return min(self.means), max(self.means)

    @property
    def hover(self) -> str:
        """What is said of it."""
        lines = hover_lines(self.row, self.score)
        if len(self.rows) > 1:
            low, high = (scale_of(self.score).text(end) for end in self.spread)
            names = ", ".join(escape(str(row.run)) for row in self.rows[:4]) + (" …" if len(self.rows) > 4 else "")
            lines[:2] = [
                f"<b>{len(self.rows)} runs alike: {names}</b>",
                f"{metric_label(self.score)} {scale_of(self.score).text(self.y)} (from {low} to {high})",
            ]
        return "<br>".join(lines)


def figure_of(
    dots: Sequence[Dot], series: Mapping[str, int], score: str, setting: str, chosen: int | None = None
) -> Figure:
    """Dots exactly at the value of a numeric setting, a line and a colour a prompt, a shape a model; `chosen` is
    ringed. Runs alike are one dot, their spread a thick bar.

    `series` gives each prompt its place in the palette. Runs without the score or the setting have no dot.
    """
    shapes = model_shapes(dot.row for dot in dots)
    by_prompt: dict[str, list[Dot]] = defaultdict(list)
    for dot in dots:
        by_prompt[dot.row.prompt_name].append(dot)
    traces = [
        _trace(name, members, series.get(name, SERIES - 1), shapes, chosen, len(dots))
        for name, members in by_prompt.items()
    ]
    lines = [_line(trace) for trace in traces if len(set(trace["x"])) > 1]
    lines += [
        _spread(dot, series.get(dot.row.prompt_name, SERIES - 1)) for dot in dots if dot.spread[0] < dot.spread[1]
    ]
    keys = [_shape_key(name, shape) for name, shape in shapes.items()] if len(shapes) > 1 else []
    return {"data": [*lines, *traces, *keys], "layout": _layout(dots, traces, score, setting, legend=bool(keys))}


def drawn(rows: Sequence[RunRow], score: str = "total", setting: str = CHUNK_SIZE) -> list[RunRow]:
    """Return the runs that are in a dot, by the setting: the rows of the table beside the chart."""
    found = [row for dot in dots_of(rows, score, setting) for row in dot.rows]
    return sorted(found, key=lambda row: (_value(row, setting) or 0.0, row.run.pk))


def dots_of(rows: Sequence[RunRow], score: str, setting: str) -> list[Dot]:
    """Return the dots, from the left."""
    groups: dict[tuple[Any, ...], list[RunRow]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: -row.run.pk):
        value = _value(row, setting)
        summary = row.metrics.get(score)
        if value is not None and summary is not None and summary.mean is not None:
            run = row.run
            groups[value, run.pipeline_fingerprint, row.prompt_name, run.split, run.limit, run.contexts_origin].append(
                row
            )
    return sorted((Dot(key[0], members, score) for key, members in groups.items()), key=lambda dot: (dot.x, dot.y))


def _value(row: RunRow, setting: str) -> float | None:
    value = row.settings.get(setting)
    return as_number(all_settings(row).get(setting) if value is None else value)


def _trace(
    name: str, dots: Sequence[Dot], place: int, shapes: Mapping[str, str], chosen: int | None, among: int
) -> Figure:
    few = among <= MANY_DOTS
    own = colour(place)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": escape(f"{name} · {_readers(dots)}" if len(shapes) == 1 else name),
        "x": [dot.x for dot in dots],
        "y": [dot.y for dot in dots],
        "customdata": [reverse("run", args=[dot.row.run.pk]) for dot in dots],
        "text": [dot.hover for dot in dots],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": _marker(dots, own, shapes, chosen, 10 if few else 7),
        "error_y": {
            "type": "data",
            "visible": few,
            "symmetric": False,
            "array": [max(0.0, dot.ends[1] - dot.y) for dot in dots],
            "arrayminus": [max(0.0, dot.y - dot.ends[0]) for dot in dots],
            "thickness": 1,
            "width": 3,
            "color": own,
        },
    }


def _line(trace: Figure) -> Figure:
    """Return the line through the mean of a prompt's dots at each value."""
    at: dict[float, list[float]] = defaultdict(list)
    for x, y in zip(trace["x"], trace["y"], strict=True):
        at[x].append(y)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": trace["name"],
        "x": list(at),
        "y": [fmean(values) for values in at.values()],
        "line": {"color": trace["error_y"]["color"], "width": 1.5},
        "opacity": 0.55,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _spread(dot: Dot, place: int) -> Figure:
    """Return the bar from the lowest to the highest of runs alike."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "Runs alike",
        "x": [dot.x, dot.x],
        "y": list(dot.spread),
        "line": {"color": colour(place), "width": 6},
        "opacity": 0.4,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _shape_key(name: str, shape: str) -> Figure:
    """Return an entry of the legend for a model, which draws nothing."""
    marker = {"symbol": shape, "color": "var(--text-quiet)", "size": 9}
    return {"type": "scatter", "mode": "markers", "name": escape(name), "x": [None], "y": [None], "marker": marker}


def _marker(dots: Sequence[Dot], own: str, shapes: Mapping[str, str], chosen: int | None, size: int) -> Figure:
    """Return how dots look: the chosen run's is larger and ringed, that of runs over some pairs only is open."""
    ringed = [any(row.run.pk == chosen for row in dot.rows) for dot in dots]
    open_ones = [bool(dot.row.run.limit) for dot in dots]
    symbols = [shapes[reader_name(dot.row.settings)] for dot in dots]
    return {
        "color": own,
        "size": [size + 3 if ring else size for ring in ringed],
        "symbol": [f"{symbol}-open" if part else symbol for symbol, part in zip(symbols, open_ones, strict=True)],
        "line": {
            "width": [2.5 if ring else 2 * part for ring, part in zip(ringed, open_ones, strict=True)],
            "color": ["var(--text)" if ring else own for ring in ringed],
        },
    }


def _readers(dots: Sequence[Dot]) -> str:
    return ", ".join(sorted({reader_name(dot.row.settings) for dot in dots}))


def hover_lines(row: RunRow, score: str) -> list[str]:
    """Return what is said of a run's dot: its name, the score with interval and n, the settings that tell most."""
    summary, settings, scale = row.metrics[score], row.settings, scale_of(score)
    mean = "—" if summary.mean is None else scale.text(summary.mean)
    if summary.ci_low is not None and summary.ci_high is not None:
        mean = f"{mean} ({scale.text(summary.ci_low)} to {scale.text(summary.ci_high)})"
    lines = [
        f"<b>{escape(str(row.run))}</b>",
        f"{metric_label(score)} {mean}, n = {summary.n}",
        f"{escape(row.prompt_name)} · {escape(reader_name(settings))}",
        escape(retrieving(settings)),
        f"{escape(str(settings.get('chunker', '')))}, top k {settings.get('top_k', '')}",
        escape(str(settings.get("embedding", ""))),
    ]
    if row.run.limit:
        lines.append(f"only the first {row.run.limit} pairs")
    return lines


def score_title(score: str) -> str:
    """Return a score's name on the axis and above the chart, with its unit."""
    unit = scale_of(score).unit
    return f"{metric_label(score)}{' score' if score == 'total' else ''}{f' ({unit})' if unit else ''}"


def score_axis(score: str, values: Sequence[float]) -> Figure:
    """Return the axis of a score: its whole range, or that of what is drawn where the range has no end."""
    scale = scale_of(score)
    low = scale.low if math.isfinite(scale.low) else min(values, default=0.0)
    high = scale.high if math.isfinite(scale.high) else max(values, default=1.0)
    high = high if high > low else low + 1.0
    room = high - low
    axis: Figure = {
        "title": {"text": score_title(score)},
        "range": [low - 0.02 * room, high + 0.04 * room],
        "zeroline": False,
    }
    return axis | ({"dtick": room / 5} if scale.span is not None else {})


def value_axis(setting: str, values: Sequence[float], unit: str = "") -> Figure:
    """Return the axis of a setting: each value is written below it where there is room."""
    info = run_settings()[setting].info if setting in run_settings() else None
    unit = unit or (info.unit if info else "")
    found = sorted(set(values))
    logs = bool(found) and found[0] > 0 and found[-1] / found[0] >= _LOG_FROM
    notes = ", ".join(filter(None, (unit, "log scale" if logs else "")))
    title = f"{setting_label(setting)}{f' ({notes})' if notes else ''}"
    axis: Figure = {"type": "log" if logs else "linear", "title": {"text": title}, "showgrid": False}
    return axis | _ticks(found, logs) if found else axis


def _ticks(found: Sequence[float], logs: bool) -> Figure:
    """Return the range of an axis with room at both ends, and where its values are written if they are few."""
    first, last = (math.log10(end) if logs else end for end in (found[0], found[-1]))
    room = max(0.12 if logs else 0.0, (last - first) * 0.08) or abs(first) * 0.1 or 1.0
    axis: Figure = {"range": [first - room, last + room]}
    ticks = _apart(found, logs)
    if len(ticks) <= _MOST_TICKS:
        axis |= {"tickvals": ticks, "ticktext": [f"{value:,g}" for value in ticks]}
    return axis


def _apart(values: Sequence[float], logs: bool, apart: float = 0.1) -> list[float]:
    """Return the values that can be written below the axis without touching: the first, then the next far enough."""
    places = [math.log10(value) if logs else value for value in values]
    span = (places[-1] - places[0]) or 1.0
    kept: list[int] = []
    for at, place in enumerate(places):
        if not kept or place - places[kept[-1]] >= apart * span:
            kept.append(at)
    return [values[at] for at in kept]


def _layout(dots: Sequence[Dot], traces: Sequence[Figure], score: str, setting: str, *, legend: bool) -> Figure:
    unit = ""
    if dots:
        settings = dots[0].row.settings
        unit = str(settings.get("chunk_unit", "characters")) if setting == CHUNK_SIZE else ""
        unit = "%" if str(all_settings(dots[0].row).get(setting, "")).endswith("%") else unit
    axis = score_axis(score, [end for dot in dots for end in (*dot.ends, dot.y)])
    direct = len(traces) <= DIRECT_LABELS
    low, high = axis["range"]
    return {
        "xaxis": value_axis(setting, [dot.x for dot in dots], unit),
        "yaxis": axis,
        "showlegend": legend or not direct,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "annotations": _labels(traces, low, high) if direct and not legend else [],
        "height": 380,
        "margin": {"r": _room(traces) if direct and not legend else 16},
    }


def _labels(traces: Sequence[Figure], low: float, high: float) -> list[Figure]:
    """Label each series at the right edge, at the height of its right-most dot, no two labels on each other."""
    ends = sorted(traces, key=lambda trace: (trace["y"][-1], trace["x"][-1]))
    heights: list[float] = []
    for trace in ends:
        heights.append(max(trace["y"][-1], heights[-1] + _LABEL_HEIGHT * (high - low) if heights else low))
    over = max(0.0, heights[-1] - high) if heights else 0.0
    return [_label(trace, height - over) for trace, height in zip(ends, heights, strict=True)]


def _room(traces: Sequence[Figure]) -> int:
    """Return the pixels right of the axes that the longest label needs; a very long one is cut by the edge."""
    longest = max((len(line) for trace in traces for line in trace["name"].split(" · ")), default=0)
    return min(_WIDEST_LABEL, max(_LABEL_ROOM, 16 + round(6.5 * longest)))


def _label(trace: Figure, height: float) -> Figure:
    name, _, reader = trace["name"].partition(" · ")
    return {
        "xref": "paper",
        "x": 1.0,
        "y": height,
        "text": f"{name}<br><span style='font-size:11px'>{reader}</span>" if reader else name,
        "showarrow": False,
        "xanchor": "left",
        "xshift": 8,
        "align": "left",
        "font": {"color": trace["error_y"]["color"], "size": 12.5},
    }
