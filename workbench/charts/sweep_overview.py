"""A whole sweep at a glance: what matters, every configuration as a line, score against what it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from django.urls import reverse

from evaluation.experiments.importance import Importance
from evaluation.queries.differences import metric_label
from evaluation.queries.sweep_table import SweepRow, SweepTable
from evaluation.queries.sweeps import mean_of
from rag_pipeline.settings.catalogue import describe
from workbench.charts.figures import Figure
from workbench.charts.sweeps import hover_text, values_of
from workbench.templatetags.workbench import percent, setting_value

Amount = Callable[[SweepRow], float | None]
_MOST_LINES = 300


def importance_bars(found: Sequence[Importance]) -> Figure:
    """A bar a setting with its interval; the most important on top."""
    shown = list(reversed(found))
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "y": [describe(each.name).title for each in shown],
                "x": [each.share for each in shown],
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [max(0.0, each.high - each.share) for each in shown],
                    "arrayminus": [max(0.0, each.share - each.low) for each in shown],
                    "color": "var(--text-quiet)",
                    "thickness": 1,
                },
                "marker": {"color": "var(--accent)"},
                "opacity": 0.75,
                "text": [percent(each.share) for each in shown],
                "textposition": "none",
                "hovertemplate": "%{y}: %{text}<extra></extra>",
            }
        ],
        "layout": {
            "height": 90 + 34 * len(shown),
            "bargap": 0.5,
            "xaxis": {
                "range": [0, 1.08],
                "tickvals": [0, 0.25, 0.5, 0.75, 1],
                "ticktext": ["0 %", "25 %", "50 %", "75 %", "100 %"],
                "title": {"text": "Share of the variance explained"},
            },
            "yaxis": {"type": "category", "ticks": "", "showgrid": False, "automargin": True},
        },
    }


def parallel_lines(table: SweepTable) -> Figure:
    """A line for each configuration through its values, each setting an axis, the score the last one.

    The best stands out; of very many the best are drawn.
    """
    names = list(table.swept)
    places = {name: _places(values_of(table, name)) for name in names}
    rows = sorted(table.scored, key=lambda row: _mean(table, row))[-_MOST_LINES:]
    low, high = _mean(table, rows[0]), _mean(table, rows[-1])
    axes = [describe(name).title for name in names] + [metric_label(table.score)]
    data = []
    for number, row in enumerate(rows):
        at = [places[name].get(str(row.configuration.swept[name])) for name in names]
        height = (_mean(table, row) - low) / (high - low) if high > low else 1.0
        best = number == len(rows) - 1
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": axes,
                "y": [*at, height],
                "customdata": [_address(row)] * len(axes),
                "text": [hover_text(table, row)] * len(axes),
                "hovertemplate": "%{text}<extra></extra>",
                "line": {"color": "var(--series-1)" if best else "var(--accent)", "width": 3 if best else 1.5},
                "marker": {"size": 5, "color": "var(--series-1)" if best else "var(--accent)"},
                "opacity": 1.0 if best else 0.15 + 0.5 * height,
                "showlegend": False,
                "connectgaps": False,
            }
        )
    ticks = [
        _tick(axis, places[name][str(value)], setting_value(value))
        for axis, name in zip(axes, names, strict=False)
        for value in _thinned(values_of(table, name))
    ]
    ends = [_tick(axes[-1], at, f"{value:.2f}") for at, value in ((0.0, low), (1.0, high))]
    return {
        "data": data,
        "layout": {
            "height": 360,
            "xaxis": {"type": "category", "side": "top", "showgrid": True, "ticks": ""},
            "yaxis": {"visible": False, "range": [-0.08, 1.08]},
            "annotations": [*ticks, *ends],
            "margin": {"l": 24, "r": 72},
        },
    }


def _places(values: Sequence[Any]) -> dict[str, float]:
    """Return where each value stands on its axis, from 0 to 1."""
    last = max(1, len(values) - 1)
    return {str(value): number / last if len(values) > 1 else 0.5 for number, value in enumerate(values)}


def _thinned(values: Sequence[Any]) -> Sequence[Any]:
    """Leave out values whose labels would stand on each other."""
    return values[:: -(-len(values) // 12) or 1]


def _tick(axis: str, at: float, label: str) -> Figure:
    short = label if len(label) <= 18 else f"{label[:17]}…"
    return {
        "x": axis,
        "y": at,
        "text": escape(short),
        "showarrow": False,
        "xanchor": "left",
        "xshift": 7,
        "bgcolor": "var(--surface-raised)",
        "font": {"size": 11.5, "color": "var(--text-quiet)"},
    }


def score_against(table: SweepTable, amount: Amount, title: str) -> Figure | None:
    """The score over what a question takes, with the efficient front; None where fewer than two are known.

    On the front nothing that takes as little scores higher.
    """
    known = [(value, row) for row in table.scored if (value := amount(row)) is not None]
    if len({value for value, _ in known}) < 2:
        return None
    known.sort(key=lambda each: (each[0], -_mean(table, each[1])))
    front = efficient([(value, _mean(table, row)) for value, row in known])
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "lines",
                "x": [known[at][0] for at in front],
                "y": [_mean(table, known[at][1]) for at in front],
                "line": {"shape": "hv", "color": "var(--line-strong)", "width": 1.5, "dash": "dot"},
                "hoverinfo": "skip",
                "showlegend": False,
            },
            {
                "type": "scatter",
                "mode": "markers",
                "x": [value for value, _ in known],
                "y": [_mean(table, row) for _, row in known],
                "customdata": [_address(row) for _, row in known],
                "text": [hover_text(table, row) for _, row in known],
                "hovertemplate": "%{text}<extra></extra>",
                "marker": {
                    "size": 9,
                    "color": "var(--accent)",
                    "opacity": [1.0 if at in front else 0.4 for at in range(len(known))],
                },
                "showlegend": False,
            },
        ],
        "layout": {
            "height": 320,
            "xaxis": {"title": {"text": title}, "rangemode": "tozero", "zeroline": False, "separatethousands": True},
            "yaxis": {"title": {"text": metric_label(table.score)}, "zeroline": False},
        },
    }


def efficient(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return which points, ordered by what they take, score higher than all before them."""
    found: list[int] = []
    for at, (_, score) in enumerate(points):
        if not found or score > points[found[-1]][1]:
            found.append(at)
    return found


def _mean(table: SweepTable, row: SweepRow) -> float:
    return float((mean_of(row.row, table.score) if row.row else None) or 0.0)


def _address(row: SweepRow) -> str | None:
    return reverse("run", args=[row.run.pk]) if row.run else None
