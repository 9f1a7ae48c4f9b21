"""Figures as plain dicts for Plotly. Colours are names of CSS tokens; the browser puts in their values."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from django.urls import reverse

from evaluation.queries.differences import metric_label
from evaluation.queries.rows import RunRow
from evaluation.scoring.scales import Scale, scale_of
from evaluation.types import Summary
from workbench.charts.palette import SERIES
from workbench.templatetags.workbench import reader_name, retrieving

Figure = dict[str, Any]

DIRECT_LABELS = 4
"""Up to so many series are labelled beside their dots; more get a legend."""
_LABEL_HEIGHT = 0.13
_LABEL_ROOM, _WIDEST_LABEL = 136, 260
"""Least distance of two labels, as a share of the y axis."""
_FAN = 0.022
_WIDEST_FAN = 0.14
"""Dots of one chunk size stand beside each other: the step and the greatest width, in decades of the log axis."""
_FAN_OF_GAP = 0.7
"""Greatest width as a share of the distance to the next chunk size."""
MANY_DOTS = 60
"""With more dots the intervals would hide them: then only the hover shows them."""


def score_against_chunk_size(
    rows: Sequence[RunRow], series: Mapping[str, int], score: str = "total", chosen: int | None = None
) -> Figure:
    """One dot a run at its chunk size, coloured by prompt, with its interval; `chosen` is ringed.

    `series` gives each prompt its place in the palette. Runs without the score or without chunks have no dot.
    """
    dots = [row for row in rows if _mean(row, score) is not None and row.settings.get("chunk_size")]
    places = _fanned(dots)
    by_prompt: dict[str, list[RunRow]] = defaultdict(list)
    for row in dots:
        by_prompt[row.prompt_name].append(row)
    data = [_trace(name, members, series, score, chosen, places) for name, members in by_prompt.items()]
    return {"data": data, "layout": _layout(dots, data, score)}


def drawn(rows: Sequence[RunRow], score: str = "total") -> list[RunRow]:
    """Return the runs that have a dot, by chunk size: the rows of the table beside the chart."""
    dots = [row for row in rows if _mean(row, score) is not None and row.settings.get("chunk_size")]
    return sorted(dots, key=lambda row: (row.settings["chunk_size"], row.run.pk))


def _mean(row: RunRow, score: str) -> float | None:
    summary = row.metrics.get(score)
    return summary.mean if summary else None


def _fanned(dots: Sequence[RunRow]) -> dict[int, float]:
    """Return the place of each run on the x axis: runs of one chunk size a little beside each other."""
    columns: dict[int, list[RunRow]] = defaultdict(list)
    for row in sorted(dots, key=lambda each: each.run.pk):
        columns[int(row.settings["chunk_size"])].append(row)
    sizes = sorted(columns)
    gap = min((math.log10(after / before) for before, after in pairwise(sizes)), default=1.0)
    widest = min(_WIDEST_FAN, _FAN_OF_GAP * gap)
    places = {}
    for size, members in columns.items():
        step = min(_FAN, widest / len(members))
        for position, row in enumerate(members):
            places[row.run.pk] = size * 10 ** (step * (position - (len(members) - 1) / 2))
    return places


def _trace(
    name: str,
    members: Sequence[RunRow],
    series: Mapping[str, int],
    score: str,
    chosen: int | None,
    places: Mapping[int, float],
) -> Figure:
    members = sorted(members, key=lambda row: places[row.run.pk])
    summaries = [row.metrics[score] for row in members]
    means = [float(summary.mean or 0.0) for summary in summaries]
    colour = f"var(--series-{series.get(name, SERIES - 1) % SERIES + 1})"
    few = len(places) <= MANY_DOTS
    return {
        "type": "scatter",
        "mode": "markers",
        "name": escape(f"{name} · {_readers(members)}"),
        "x": [places[row.run.pk] for row in members],
        "y": means,
        "customdata": [reverse("run", args=[row.run.pk]) for row in members],
        "text": [_hover(row, score) for row in members],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": _marker(members, colour, chosen, 10 if few else 7),
        "error_y": {
            "type": "data",
            "visible": few,
            "symmetric": False,
            "array": [_arm(summary.ci_high, mean) for summary, mean in zip(summaries, means, strict=True)],
            "arrayminus": [_arm(mean, summary.ci_low) for summary, mean in zip(summaries, means, strict=True)],
            "thickness": 1,
            "width": 3,
            "color": colour,
        },
    }


def _marker(members: Sequence[RunRow], colour: str, chosen: int | None, size: int) -> Figure:
    """Return how the dots look: the chosen run's is larger and ringed, that of a run over some pairs only is open."""
    ringed = [row.run.pk == chosen for row in members]
    return {
        "color": colour,
        "size": [13 if ring else size for ring in ringed],
        "symbol": ["circle-open" if row.run.limit else "circle" for row in members],
        "line": {
            "width": [2.5 if ring else 2 * bool(row.run.limit) for ring, row in zip(ringed, members, strict=True)],
            "color": ["var(--text)" if ring else colour for ring in ringed],
        },
    }


def _arm(high: float | None, low: float | None) -> float:
    return 0.0 if high is None or low is None else max(0.0, high - low)


def _readers(members: Sequence[RunRow]) -> str:
    names = sorted({reader_name(row.settings) for row in members})
    return ", ".join(names[:2]) + (" …" if len(names) > 2 else "")


def _hover(row: RunRow, score: str) -> str:
    summary, settings = row.metrics[score], row.settings
    lines = [
        f"<b>{escape(str(row.run))}</b>",
        f"{metric_label(score)} {_numbers(summary, scale_of(score))}, n = {summary.n}",
        f"{escape(row.prompt_name)} · {escape(reader_name(row.settings))}",
        escape(retrieving(settings)),
        f"{escape(str(settings.get('chunker', '')))}, top k {settings.get('top_k', '')}",
        escape(str(settings.get("embedding", ""))),
    ]
    if row.run.limit:
        lines.append(f"only the first {row.run.limit} pairs")
    return "<br>".join(lines)


def _numbers(summary: Summary, scale: Scale) -> str:
    """Return the mean with its interval, in the metric's unit."""
    mean = "—" if summary.mean is None else scale.text(summary.mean)
    if summary.ci_low is None or summary.ci_high is None:
        return mean
    return f"{mean} ({scale.text(summary.ci_low)} to {scale.text(summary.ci_high)})"


def score_title(score: str) -> str:
    """Return a score's name on the axis and above the chart, with its unit."""
    unit = scale_of(score).unit
    return f"{metric_label(score)}{' score' if score == 'total' else ''}{f' ({unit})' if unit else ''}"


def _ends(dots: Sequence[RunRow], score: str) -> tuple[float, float]:
    """Return the ends of the score's axis: those of its range, or of what is drawn where that has no end."""
    scale = scale_of(score)
    drawn_values = [
        value
        for row in dots
        for value in (row.metrics[score].mean, row.metrics[score].ci_low, row.metrics[score].ci_high)
        if value is not None
    ]
    low = scale.low if math.isfinite(scale.low) else min(drawn_values, default=0.0)
    high = scale.high if math.isfinite(scale.high) else max(drawn_values, default=1.0)
    return low, high if high > low else low + 1.0


def _layout(dots: Sequence[RunRow], data: Sequence[Figure], score: str) -> Figure:
    sizes = sorted({int(row.settings["chunk_size"]) for row in dots})
    unit = str(dots[0].settings.get("chunk_unit", "characters")) if dots else "characters"
    low, high = _ends(dots, score)
    direct = len(data) <= DIRECT_LABELS
    layout: Figure = {
        "xaxis": {
            "type": "log",
            "title": {"text": f"Chunk size ({unit}, log scale)"},
            "showgrid": False,
            "tickangle": 0,
        },
        "yaxis": {
            "title": {"text": score_title(score)},
            "range": [low - 0.02 * (high - low), high + 0.04 * (high - low)],
            "zeroline": False,
        },
        "showlegend": not direct,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "annotations": _labels(data, low, high) if direct else [],
        "height": 380,
        "margin": {"r": _room(data) if direct else 16},
    }
    if scale_of(score).span is not None:
        layout["yaxis"]["dtick"] = (high - low) / 5
    if sizes:
        first, last = math.log10(sizes[0]), math.log10(sizes[-1])
        room = max(0.12, (last - first) * 0.08)
        layout["xaxis"] |= {
            "range": [first - room, last + room],
            "tickvals": _spread(sizes),
            "ticktext": [f"{size:,}" for size in _spread(sizes)],
        }
    return layout


def _spread(sizes: Sequence[int], apart: float = 0.1) -> list[int]:
    """Return the sizes that can be written below the axis without touching: the first, then the next far enough."""
    span = math.log10(sizes[-1] / sizes[0]) or 1.0
    kept: list[int] = []
    for size in sizes:
        if not kept or math.log10(size / kept[-1]) >= apart * span:
            kept.append(size)
    return kept


def _labels(data: Sequence[Figure], low: float, high: float) -> list[Figure]:
    """Label each series at the right edge, at the height of its right-most dot, no two labels on each other."""
    ends = sorted(data, key=lambda trace: (trace["y"][-1], trace["x"][-1]))
    heights: list[float] = []
    for trace in ends:
        heights.append(max(trace["y"][-1], heights[-1] + _LABEL_HEIGHT * (high - low) if heights else low))
    over = max(0.0, heights[-1] - high) if heights else 0.0
    return [_label(trace, height - over) for trace, height in zip(ends, heights, strict=True)]


def _room(data: Sequence[Figure]) -> int:
    """Return the pixels right of the axes that the longest label needs; a very long one is cut by the edge."""
    longest = max((len(line) for trace in data for line in trace["name"].split(" · ")), default=0)
    return min(_WIDEST_LABEL, max(_LABEL_ROOM, 16 + round(6.5 * longest)))


def _label(trace: Figure, height: float) -> Figure:
    name, _, reader = trace["name"].partition(" · ")
    return {
        "xref": "paper",
        "x": 1.0,
        "y": height,
        "text": f"{name}<br><span style='font-size:11px'>{reader}</span>",
        "showarrow": False,
        "xanchor": "left",
        "xshift": 8,
        "align": "left",
        "font": {"color": trace["error_y"]["color"], "size": 12.5},
    }
