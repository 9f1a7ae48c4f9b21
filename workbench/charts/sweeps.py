"""Sweeps as figures: score against a setting with paired bands, two settings as a heat map, questions by settings."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from django.urls import reverse

from evaluation.experiments.space import label_of
from evaluation.queries.differences import metric_label
from evaluation.queries.sweep_map import QuestionMap
from evaluation.queries.sweep_table import SweepRow, SweepTable
from evaluation.queries.sweeps import mean_of
from evaluation.scoring.scales import scale_of
from rag_pipeline.settings.catalogue import describe
from workbench.charts.figures import DIRECT_LABELS, Figure
from workbench.charts.palette import SERIES
from workbench.templatetags.workbench import setting_value

_UNREAD = "—"
_LOW_TO_HIGH = [[0, "var(--surface-sunken)"], [1, "var(--accent)"]]
_LONGEST_LABEL = 48
_LABELLED = 80
"""Questions up to which each row of the map has its words beside it."""


def is_numeric(table: SweepTable, name: str) -> bool:
    """Tell whether all values of a swept setting are numbers."""
    values = values_of(table, name)
    return bool(values) and all(isinstance(each, int | float) and not isinstance(each, bool) for each in values)


def values_of(table: SweepTable, name: str) -> list[Any]:
    """Return the values of a swept setting, in order; without those of configurations that do not read it."""
    values = {str(value): value for each in table.rows if (value := each.configuration.swept[name]) is not None}
    numbers = all(isinstance(each, int | float) for each in values.values())
    return sorted(values.values()) if numbers else list(values.values())


def score_curve(table: SweepTable, x: str, line: str = "") -> Figure:
    """One line a value of `line` over the values of `x`; of the other settings each point is the best.

    A band is the 95 % interval of the paired difference to the best, drawn below the best's own mean: where it reaches
    the dashed line, the two cannot be told apart.
    """
    best = max((_mean(table, each) for each in table.scored), default=0.0)
    groups: dict[str, dict[Any, SweepRow]] = {}
    for row in sorted(table.scored, key=lambda each: _mean(table, each)):
        at = row.configuration.swept[x]
        if at is not None:
            groups.setdefault(_named(row, line), {})[at] = row
    numeric = is_numeric(table, x)
    order = values_of(table, x)
    data: list[Figure] = []
    names = [str(each) for each in values_of(table, line)] if line else []
    for name in sorted(groups, key=lambda each: names.index(each) if each in names else len(names)):
        points = [groups[name][value] for value in order if value in groups[name]]
        series = len(data) // 2
        shown = _line_name(table, line, name)
        data += [_band(table, points, x, best, series, numeric), _line(table, points, x, shown, series, numeric)]
    return {"data": data, "layout": _curve_layout(table, x, line, best, data, order)}


def _named(row: SweepRow, line: str) -> str:
    value = row.configuration.swept[line] if line else ""
    return _UNREAD if value is None else str(value)


def _line_name(table: SweepTable, line: str, name: str) -> str:
    """Return what stands beside a line: a bare number has its setting's name."""
    if not line or not is_numeric(table, line) or name == _UNREAD:
        return escape(name)
    value = next(each for each in values_of(table, line) if str(each) == name)
    return f"{describe(line).title.lower()} {setting_value(value)}"


def _mean(table: SweepTable, row: SweepRow) -> float:
    return float((mean_of(row.row, table.score) if row.row else None) or 0.0)


def _places(points: Sequence[SweepRow], x: str, numeric: bool) -> list[Any]:
    values = [each.configuration.swept[x] for each in points]
    return values if numeric else [str(each) for each in values]


def _colour(series: int) -> str:
    return f"var(--series-{series % SERIES + 1})"


def _band(table: SweepTable, points: Sequence[SweepRow], x: str, best: float, series: int, numeric: bool) -> Figure:
    places, scale = _places(points, x, numeric), scale_of(table.score)
    ends = [  # a difference may reach beyond what the score can be
        (max(scale.low, best + each.verdict.low), min(scale.high, best + each.verdict.high))
        if each.verdict and each.verdict.low is not None and each.verdict.high is not None
        else (_mean(table, each),) * 2
        for each in points
    ]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*places, *reversed(places)],
        "y": [*(low for low, _ in ends), *(high for _, high in reversed(ends))],
        "fill": "toself",
        "fillcolor": _colour(series),
        "opacity": 0.13,
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _line(table: SweepTable, points: Sequence[SweepRow], x: str, name: str, series: int, numeric: bool) -> Figure:
    colour = _colour(series)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name or metric_label(table.score),
        "x": _places(points, x, numeric),
        "y": [_mean(table, each) for each in points],
        "customdata": [reverse("run", args=[each.run.pk]) for each in points if each.run],
        "text": [hover_text(table, each) for each in points],
        "hovertemplate": "%{text}<extra></extra>",
        "line": {"color": colour, "width": 2},
        "marker": {"color": colour, "size": 8},
    }


def hover_text(table: SweepTable, row: SweepRow) -> str:
    """Return what is shown over a configuration's dot, as lines of HTML: score, n, difference, verdict, tokens."""
    scale = scale_of(table.score)
    lines = [
        f"<b>{escape(row.configuration.label)}</b>",
        f"{metric_label(table.score)} {scale.text(_mean(table, row))}, n = {row.n}",
    ]
    if row.verdict and row.verdict.difference is not None and row.verdict.low is not None:
        low, high = scale.end(row.verdict.low), scale.end(row.verdict.high or 0.0)
        lines.append(f"{scale.change(row.verdict.difference)} to the best ({low} to {high})")
    if row.verdict:
        lines.append(row.verdict.word)
    if row.context_tokens is not None:
        lines.append(f"{row.context_tokens:,.0f} tokens of context")
    return "<br>".join(lines)


def _curve_layout(
    table: SweepTable, x: str, line: str, best: float, data: Sequence[Figure], order: Sequence[Any]
) -> Figure:
    lines = data[1::2]
    direct = bool(line) and len(lines) <= DIRECT_LABELS
    longest = max((len(each["name"]) for each in lines), default=0)
    drawn = [value for each in data for value in each["y"]] or [0.0, 1.0]
    low, high = min(drawn), max(*drawn, best)
    room = 0.08 * ((high - low) or 1.0)
    axis: Figure = {"title": {"text": _axis_title(x)}, "showgrid": False}
    if is_numeric(table, x):
        logs = order[0] > 0 and order[-1] / order[0] >= 4
        axis |= {"type": "log" if logs else "linear", "tickvals": list(order), "ticktext": [f"{at:,}" for at in order]}
    else:
        axis |= {"type": "category"}
    return {
        "height": 380,
        "xaxis": axis,
        "yaxis": {
            "title": {"text": metric_label(table.score)},
            "zeroline": False,
            "range": [low - room, high + room],
        },
        "showlegend": bool(line) and not direct,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "shapes": [
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": best,
                "y1": best,
                "line": {"color": "var(--line-strong)", "width": 1, "dash": "dash"},
            }
        ],
        "annotations": _labels(lines, low, high) if direct else [],
        "margin": {"r": min(260, 24 + round(7.5 * longest)) if direct else 16},
    }


def _labels(lines: Sequence[Figure], low: float, high: float) -> list[Figure]:
    """Label each line at its right end, no two labels on each other."""
    apart = 0.07 * ((high - low) or 1.0)
    found: list[Figure] = []
    at = float("-inf")
    for each in sorted(lines, key=lambda one: one["y"][-1]):
        at = max(each["y"][-1], at + apart)
        found.append(
            {
                "xref": "paper",
                "x": 1.0,
                "y": at,
                "text": each["name"],
                "showarrow": False,
                "xanchor": "left",
                "xshift": 8,
                "font": {"color": each["line"]["color"], "size": 12.5},
            }
        )
    return found


def _axis_title(name: str) -> str:
    setting = describe(name)
    return f"{setting.title}{f' ({setting.info.unit})' if setting.info.unit else ''}"


def two_settings(table: SweepTable, x: str, y: str) -> Figure:
    """The score over the values of two settings, of the other settings the best."""
    columns, lines = values_of(table, x), values_of(table, y)
    best: dict[tuple[str, str], SweepRow] = {}
    for row in sorted(table.scored, key=lambda each: _mean(table, each)):
        best[str(row.configuration.swept[x]), str(row.configuration.swept[y])] = row
    cells = [[best.get((str(column), str(line))) for column in columns] for line in lines]
    return {
        "data": [
            {
                "type": "heatmap",
                "x": [setting_value(each) for each in columns],
                "y": [setting_value(each) for each in lines],
                "z": [[None if cell is None else _mean(table, cell) for cell in row] for row in cells],
                "customdata": [[_run_address(cell) for cell in row] for row in cells],
                "text": [[None if cell is None else hover_text(table, cell) for cell in row] for row in cells],
                "hovertemplate": "%{text}<extra></extra>",
                "texttemplate": "%{z:.2f}",
                "textfont": {"color": "var(--text)", "size": 13},
                "opacity": 0.5,
                "colorscale": _LOW_TO_HIGH,
                "showscale": False,
                "hoverongaps": False,
                "xgap": 2,
                "ygap": 2,
            }
        ],
        "layout": {
            "height": max(200, 110 + 52 * len(lines)),
            "xaxis": {"type": "category", "title": {"text": _axis_title(x)}, "showgrid": False, "ticks": ""},
            "yaxis": {"type": "category", "title": {"text": _axis_title(y)}, "showgrid": False, "ticks": ""},
        },
    }


def _run_address(row: SweepRow | None) -> str | None:
    return reverse("run", args=[row.run.pk]) if row and row.run else None


def questions_by_settings(found: QuestionMap) -> Figure:
    """A cell for each question and configuration; click opens the answer. Questions that few solve stand on top.

    Those that all solve are left out: they tell nothing apart.
    """
    names = [f"{each.configuration.number}: {_short(label_of(each.configuration.swept))}" for each in found.rows]
    runs = [each.run.pk if each.run else 0 for each in found.rows]
    unsolved = [each for each in found.questions if each.solved < each.asked]
    questions = list(reversed(unsolved))  # the first row of a heat map is drawn at the bottom
    ids = [each.question.question_id for each in questions]  # the words of two questions may be the same
    few = len(questions) <= _LABELLED
    return {
        "data": [
            {
                "type": "heatmap",
                "x": names,
                "y": ids,
                "z": [list(each.values) for each in questions],
                "customdata": [
                    [reverse("run-question", args=[run, each.question.pk]) for run in runs] for each in questions
                ],
                "text": [[escape(_short(each.question.text, 90))] * len(runs) for each in questions],
                "hovertemplate": "%{text}<br>%{x}: %{z:.2f}<extra></extra>",
                "colorscale": _LOW_TO_HIGH,
                "zmin": 0,
                "zmax": 1,
                "showscale": False,
                "hoverongaps": False,
                "xgap": 1,
                "ygap": int(few),
            }
        ],
        "layout": {
            "height": min(1500, max(260, 150 + 16 * len(questions))),
            "margin": {"b": 24, "t": 8},
            "xaxis": {"type": "category", "showgrid": False, "showticklabels": len(names) <= 8, "ticks": ""},
            "yaxis": {
                "type": "category",
                "showgrid": False,
                "ticks": "",
                "showticklabels": few,
                "tickvals": ids,
                "ticktext": [escape(_short(each.question.text)) for each in questions],
            },
        },
    }


def _short(text: str, longest: int = _LONGEST_LABEL) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
