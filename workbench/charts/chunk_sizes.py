"""The spread of chunk sizes as a figure: see charts.py for how figures are drawn."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.charts.figures import Figure
from workbench.display.chunk_view import Bar, SizeSpread


def size_histogram(spread: SizeSpread, unit: str, window: int | None = None) -> Figure:
    """Bars of how many chunks have which size; those beyond the embedding window are hatched, the window is a line."""
    bars = spread.bars
    layout: Figure = {
        "height": 190,
        "barmode": "stack",
        "bargap": 0.06,
        "margin": {"t": 22, "b": 44, "l": 44, "r": 12},
        "xaxis": {"title": {"text": f"{unit.capitalize()} a chunk"}, "range": [0, max(bars[-1].high, window or 0)]},
        "yaxis": {"title": {"text": "Chunks"}, "rangemode": "tozero", "nticks": 4, "tickformat": ",d"},
    }
    if window is not None and window <= bars[-1].high:
        layout["shapes"] = [_line(window)]
        layout["annotations"] = [_line_label(window, bars[-1].high)]
    data = [_bars(bars, [bar.count - bar.over for bar in bars], unit, {"color": "var(--accent)"})]
    if any(bar.over for bar in bars):
        hatched = {"color": "var(--warn)", "pattern": {"shape": "/", "fillmode": "overlay"}}
        data.append(_bars(bars, [bar.over for bar in bars], f"{unit}, longer than the window", hatched))
    return {"data": data, "layout": layout}


def _bars(bars: Sequence[Bar], counts: Sequence[int], what: str, marker: Figure) -> Figure:
    return {
        "type": "bar",
        "showlegend": False,
        "x": [(bar.low + bar.high) / 2 for bar in bars],
        "y": list(counts),
        "width": [0.94 * (bar.high - bar.low) for bar in bars],
        "customdata": [f"{bar.low:,} to {bar.high - 1:,}" for bar in bars],
        "hovertemplate": f"%{{customdata}} {what}: %{{y:,}} chunks<extra></extra>",
        "marker": marker,
    }


def _line(window: int) -> Figure:
    style = {"color": "var(--warn)", "width": 1.5, "dash": "dash"}
    return {"type": "line", "x0": window, "x1": window, "y0": 0, "y1": 1, "yref": "paper", "line": style}


def _line_label(window: int, end: int) -> Figure:
    return {
        "x": window,
        "xanchor": "right" if 2 * window > end else "left",  # towards the middle, or the edge would cut it
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "text": f"embedding window {window:,}",
        "showarrow": False,
        "font": {"size": 11.5, "color": "var(--warn)"},
    }
