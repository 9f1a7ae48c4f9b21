"""Running heads and feet, page numbers and watermarks: what repeats over pages at one place, numbers aside."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from rag_pipeline.loaders.layout.lines import Line, lines_of
from rag_pipeline.loaders.layout.page import Page, TextRun

_EDGE_LINES = 3
_STEP = 4.0
"""Points by which a running head may move from page to page."""

_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"(?:page\s*)?[-–—\[(|\s]*(?:\d{1,4}|[ivxlc]{1,7}|[A-Z]?\d{0,3}[-–.]\d{1,4})[-–—\])|\s]*(?:(?:of|/)\s*\d{1,4})?",
    re.IGNORECASE,
)

Key = tuple[str, int]


def without_furniture(pages: Sequence[Page]) -> list[list[TextRun]]:
    """Return for each page its pieces without those that belong to the paper and not to the text."""
    stamps = _stamps(pages)
    bare = [[piece for piece in page.pieces if _stamp_key(piece) not in stamps] for page in pages]
    rows = [lines_of(pieces) for pieces in bare]
    heads_of = _running_heads([_edges(lines) for lines in rows])
    kept = []
    for page, pieces, lines, heads in zip(pages, bare, rows, heads_of, strict=True):
        gone = _ids(heads)
        left = [line for line in lines if not gone.issuperset(map(id, line.pieces))]
        gone |= _ids(_lone_numbers(left, page))
        kept.append([piece for piece in pieces if id(piece) not in gone])
    # Pages that are all alike (forms, labels) have no text but what repeats.
    return kept if any(kept) else [page.pieces for page in pages]


def _running_heads(edges: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return for the first and last lines of each page those that are a running head or foot."""
    repeated = _repeated(edges)
    slots = _slots(edges, repeated)
    return [
        [line for line in lines if _near(repeated, line) or (number, round(line.base), line.font.size) in slots]
        for number, lines in enumerate(edges)
    ]


def _ids(lines: Iterable[Line]) -> set[int]:
    return {id(piece) for line in lines for piece in line.pieces}


def _stamp_key(piece: TextRun) -> tuple[str, int, int]:
    return piece.text, round(piece.x0), round(piece.y0)


def _stamps(pages: Sequence[Page]) -> set[tuple[str, int, int]]:
    """Return what stands at the same point of most pages: watermarks, stamps."""
    counts = Counter(key for page in pages for key in {_stamp_key(piece) for piece in page.pieces})
    return {key for key, times in counts.items() if times >= max(3, 0.6 * len(pages))}


def _edges(lines: Sequence[Line]) -> list[Line]:
    """Return the first and the last lines of a page."""
    return [*lines[:_EDGE_LINES], *lines[_EDGE_LINES:][-_EDGE_LINES:]]


def _text_key(line: Line) -> str:
    return _NUMBER.sub("#", line.text.casefold())


def _repeated(edges: Sequence[Sequence[Line]]) -> set[Key]:
    """Return (text without numbers, place in steps) of the lines at an edge that several pages share."""
    counts: Counter[Key] = Counter()
    for lines in edges:
        # A line between two steps counts for both.
        counts.update({(_text_key(line), step) for line in lines for step in _steps(line)})
    least = 2 if len(edges) <= 4 else 3
    return {key for key, times in counts.items() if times >= least}


def _steps(line: Line) -> tuple[int, int]:
    place = int(line.base // _STEP)
    return place, place + (1 if line.base % _STEP > _STEP / 2 else -1)


def _near(repeated: set[Key], line: Line) -> bool:
    return any((_text_key(line), step) in repeated for step in _steps(line))


def _slots(edges: Sequence[Sequence[Line]], repeated: set[Key]) -> set[tuple[int, int, float]]:
    """Return (page, y, size) of lines that stand where most pages have a running head, whatever they say.

    The first page of a chapter, or a chapter of a single page, has a head that no other page has.
    """
    pages: dict[tuple[int, float], set[int]] = defaultdict(set)
    for number, lines in enumerate(edges):
        for line in lines:
            if _near(repeated, line):
                pages[round(line.base), line.font.size].add(number)
    usual = {key for key, known in pages.items() if len(known) >= max(3, 0.6 * len(edges))}
    return {
        (number, round(line.base), line.font.size)
        for number, lines in enumerate(edges)
        for line in lines
        if (round(line.base), line.font.size) in usual
    }


def _lone_numbers(lines: Sequence[Line], page: Page) -> list[Line]:
    """Return the lines at the upper and lower edge that are a page number and nothing else."""
    found = []
    for line, other in ((lines[0], lines[1]), (lines[-1], lines[-2])) if len(lines) > 1 else ():
        apart = abs(line.base - other.base) > 1.8 * line.font.size
        at_edge = line.base < 0.15 * page.height or line.base > 0.85 * page.height
        if apart and at_edge and _PAGE_NUMBER.fullmatch(line.text):
            found.append(line)
    return found
