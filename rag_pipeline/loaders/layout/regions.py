"""Reading order: a page cut into columns and bands, by white space that runs through them (recursive XY cut)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from rag_pipeline.loaders.layout.lines import lines_of
from rag_pipeline.loaders.layout.page import TextRun

_GUTTER = 0.75
"""Least white space between columns, in ems."""

_LEAST_LINES = 4
_LEAST_LETTERS = 14
"""Letters of the usual line of a column: what has fewer is a table."""

_DEEPEST = 4
_MOST_CANDIDATES = 10


def columns(pieces: Sequence[TextRun], depth: int = 0) -> list[list[TextRun]]:
    """Return the regions of a page in reading order.

    What reaches over the gutter (a title, a wide figure) parts the columns above it from those below.
    """
    gutter = _gutter(pieces) if depth < _DEEPEST else None
    if gutter is None:
        return [list(pieces)] if pieces else []
    wide = sorted((piece for piece in pieces if piece.x0 < gutter < piece.x1), key=lambda piece: piece.y0)
    regions: list[list[TextRun]] = []
    rest = [piece for piece in pieces if not piece.x0 < gutter < piece.x1]
    for across in _bands(wide):
        above, beside, rest = _parted(rest, across)
        regions += _sides(above, gutter, depth)
        regions.append([*across, *beside])
    return regions + _sides(rest, gutter, depth)


def _parted(pieces: Sequence[TextRun], band: Sequence[TextRun]) -> tuple[list[TextRun], list[TextRun], list[TextRun]]:
    """Return the pieces above a band, those beside it, and those below it."""
    top, bottom = min(piece.y0 for piece in band), max(piece.y1 for piece in band)
    above = [piece for piece in pieces if piece.middle < top]
    beside = [piece for piece in pieces if top <= piece.middle <= bottom]
    return above, beside, [piece for piece in pieces if piece.middle > bottom]


def _sides(pieces: Sequence[TextRun], gutter: float, depth: int) -> list[list[TextRun]]:
    left = [piece for piece in pieces if piece.x1 <= gutter]
    right = [piece for piece in pieces if piece.x0 >= gutter]
    return columns(left, depth + 1) + columns(right, depth + 1)


def _bands(wide: Sequence[TextRun]) -> list[list[TextRun]]:
    """Group the pieces that reach over a gutter: neighbouring lines are one band."""
    bands: list[list[TextRun]] = []
    for piece in wide:
        if bands and piece.y0 - max(each.y1 for each in bands[-1]) < 1.2 * piece.font.size:
            bands[-1].append(piece)
        else:
            bands.append([piece])
    return bands


def _gutter(pieces: Sequence[TextRun]) -> float | None:
    """Return the x of the white space that parts two columns of text; None when there is none."""
    if len(pieces) < 2 * _LEAST_LINES:
        return None
    em = median(piece.font.size for piece in pieces)
    found = [(crossing, x) for x in _candidates(pieces, em) if (crossing := _crossing(pieces, x)) is not None]
    return min(found, key=lambda each: each[0])[1] if found else None


def _crossing(pieces: Sequence[TextRun], x: float) -> int | None:
    """Return how many pieces reach over `x`; None where it does not part two columns of text."""
    left = [piece for piece in pieces if piece.x1 <= x]
    right = [piece for piece in pieces if piece.x0 >= x]
    crossing = len(pieces) - len(left) - len(right)
    return crossing if crossing <= 0.25 * len(pieces) and _is_text(left) and _is_text(right) else None


def _candidates(pieces: Sequence[TextRun], em: float) -> list[float]:
    """Return the middles of the gaps of which many lines begin at the right end."""
    starts: dict[int, list[TextRun]] = {}
    for piece in pieces:
        starts.setdefault(round(piece.x0 / 3), []).append(piece)
    found = []
    likely = sorted((group for group in starts.values() if len(group) >= _LEAST_LINES), key=len, reverse=True)
    for group in likely[:_MOST_CANDIDATES]:
        x = min(piece.x0 for piece in group)
        ends = [piece.x1 for piece in pieces if piece.x1 < x - _GUTTER * em / 2]
        if ends:
            # The text at the left ends raggedly: the gap begins where all but a few lines have ended.
            ends.sort()
            end = ends[-1]
            if x - end >= _GUTTER * em:
                found.append((x + end) / 2)
            elif x - ends[max(0, int(0.97 * len(ends)) - 1)] >= _GUTTER * em:
                found.append(x - _GUTTER * em / 2)
    return found


def _is_text(pieces: Sequence[TextRun]) -> bool:
    """Return whether pieces are lines of text, which fill their column, and not the cells of a table."""
    lines = lines_of(pieces)
    if len(lines) < _LEAST_LINES:
        return False
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    full = sum(line.x1 - line.x0 > 0.6 * width for line in lines)
    return full > 0.45 * len(lines) and median(len(line.text) for line in lines) >= _LEAST_LETTERS
