"""Tables: by their ruling lines where there is a grid, else by columns that stay free of text over several rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag_pipeline.loaders.layout import markdown
from rag_pipeline.loaders.layout.lines import Line, joined, lines_of
from rag_pipeline.loaders.layout.page import Box, Page, TextRun

_GAP = 1.5
"""Least white space between two cells, in ems."""

_ROW_GAP = 3.2
"""Most white space between two rows, in ems."""

_LONGEST_CELL = 60
_SAME = 3.0
_MOST_RULES = 800
"""More lines than a table has are a drawing."""

_LABEL = re.compile(r"[•◦▪‣●○■□–—\-*·\uf0b7\uf0a7\uf0d8\uf076]|\(?\w{1,3}[.)]")


def ruled_tables(page: Page, pieces: Sequence[TextRun]) -> list[tuple[Box, str, list[TextRun]]]:
    """Return (place, Markdown, pieces used) of the tables that are drawn as a grid of lines."""
    found = []
    for grid in _grids(page):
        ys, xs = _edges(grid)
        inside = [p for p in pieces if xs[0] <= (p.x0 + p.x1) / 2 <= xs[-1] and ys[0] <= p.middle <= ys[-1]]
        rows = _filled_grid(inside, ys, xs)
        filled = sum(bool(cell) for row in rows for cell in row)
        if filled >= 4 and 3 * filled >= len(xs[1:]) * len(ys[1:]):
            found.append((Box(xs[0], ys[0], xs[-1], ys[-1]), markdown.table(rows), inside))
    return found


def _grids(page: Page) -> list[list[Box]]:
    """Group rules that touch; keep groups with lines of both directions for two rows and two columns."""
    groups: list[list[Box]] = []
    for rule in page.rules if len(page.rules) <= _MOST_RULES else ():
        touching = [group for group in groups if any(_touch(rule, other) for other in group)]
        groups = [group for group in groups if group not in touching]
        groups.append([rule, *(other for group in touching for other in group)])
    return [group for group in groups if all(len(places) >= 3 for places in _edges(group))]


def _edges(grid: Sequence[Box]) -> tuple[list[float], list[float]]:
    """Return where the rows and where the columns of a grid are parted."""
    ys = _merged([rule.y0 for rule in grid if rule.width >= rule.height])
    return ys, _merged([rule.x0 for rule in grid if rule.height > rule.width])


def _filled_grid(pieces: Sequence[TextRun], ys: Sequence[float], xs: Sequence[float]) -> list[list[str]]:
    """Return the texts of the cells, row by row."""
    cells: list[list[list[TextRun]]] = [[[] for _ in xs[1:]] for _ in ys[1:]]
    for piece in pieces:
        cells[_slot(ys, piece.middle)][_slot(xs, (piece.x0 + piece.x1) / 2)].append(piece)
    return [[_cell(cell) for cell in row] for row in cells]


def _touch(one: Box, other: Box) -> bool:
    return (
        one.x0 - _SAME <= other.x1
        and other.x0 - _SAME <= one.x1
        and one.y0 - _SAME <= other.y1
        and other.y0 - _SAME <= one.y1
    )


def _merged(places: Sequence[float]) -> list[float]:
    """Return places in order, those that are the same but for the width of a line once."""
    found: list[float] = []
    for place in sorted(places):
        if not found or place - found[-1] > _SAME:
            found.append(place)
    return found


def _slot(edges: Sequence[float], place: float) -> int:
    return max(0, sum(edge <= place for edge in edges[:-1]) - 1)


def _cell(pieces: Sequence[TextRun]) -> str:
    return " ".join(line.text for line in lines_of(pieces))


def aligned_table(lines: Sequence[Line], first: int) -> tuple[str, int] | None:
    """Return (Markdown, number of the line behind it) of a table that begins at line `first`; None when none does."""
    if len(_segments(lines[first])) < 2 or _is_item(lines[first]) or lines[first].mono:
        return None
    rows, columns = _aligned_rows(lines[first], lines[first + 1 :])
    full = sum(len(_segments(row)) >= 2 for row in rows)
    if full < 3 and not (full == 2 and len(columns) > 2):
        return None
    cells = _drawn(rows, columns)
    filled = [cell for row in cells for cell in row if cell]
    if sum(map(len, filled)) > _LONGEST_CELL * len(filled):
        return None
    return markdown.table(cells), first + len(rows)


def _aligned_rows(head: Line, lines: Sequence[Line]) -> tuple[list[Line], list[tuple[float, float]]]:
    """Return the lines that share the columns of `head`, which is the first of them, and the columns."""
    columns = list(map(_reach, _segments(head)))
    rows = [head]
    for line in lines:
        if line.base - rows[-1].base > _ROW_GAP * rows[-1].font.size or _is_item(line):
            break
        wider = _widened(columns, line)
        if len(wider) < max(2, len(columns) - 1) or (len(wider) < len(columns) and len(rows) > 2):
            break
        columns = wider
        rows.append(line)
    while rows and len(_segments(rows[-1])) < 2:
        rows.pop()
    return rows, columns


def _segments(line: Line) -> list[list[TextRun]]:
    return line.segments(_GAP * line.font.size)


def _is_item(line: Line) -> bool:
    """Return whether a line begins with the mark of a list item and goes on with one text."""
    segments = _segments(line)
    return len(segments) == 2 and _LABEL.fullmatch(joined(segments[0], line.font.size)) is not None


def _reach(segment: Sequence[TextRun]) -> tuple[float, float]:
    return min(piece.x0 for piece in segment), max(piece.x1 for piece in segment)


def _widened(columns: Sequence[tuple[float, float]], line: Line) -> list[tuple[float, float]]:
    """Return the columns with a further row in them; columns that it bridges become one."""
    merged: list[tuple[float, float]] = []
    least = 0.5 * line.font.size
    for x0, x1 in sorted([*columns, *map(_reach, _segments(line))]):
        if merged and x0 < merged[-1][1] + least:
            merged[-1] = (merged[-1][0], max(merged[-1][1], x1))
        else:
            merged.append((x0, x1))
    return merged


def _drawn(rows: Sequence[Line], columns: Sequence[tuple[float, float]]) -> list[list[str]]:
    """Return the cells; a line without a first cell that stands close goes on the row above it."""
    drawn: list[list[str]] = []
    before: Line | None = None
    for line in rows:
        cells = [""] * len(columns)
        for segment in _segments(line):
            x0, x1 = _reach(segment)
            column = next(number for number, (left, right) in enumerate(columns) if left <= x1 and x0 <= right)
            cells[column] = f"{cells[column]} {joined(segment, line.font.size)}".strip()
        close = before is not None and line.base - before.base < 1.45 * line.font.size
        if drawn and not cells[0] and close:
            drawn[-1] = [f"{above} {cell}".strip() for above, cell in zip(drawn[-1], cells, strict=True)]
        else:
            drawn.append(cells)
        before = line
    return drawn
