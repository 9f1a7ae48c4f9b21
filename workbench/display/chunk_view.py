"""How a document is shown cut into chunks: margin numbers, overlaps, pages, and the spread of sizes."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from rag_pipeline.types import Chunk, SourceDoc, Span

CHUNKS_A_PAGE = 50
HUES = 4
_BINS = 16


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of text with the same look throughout; `chunks` are the numbers of the chunks that hold it."""

    text: str
    chunks: tuple[int, ...]
    page: int | None = None
    """Number of the page that begins here."""
    marked: bool = False
    begins: bool = False
    """True for the first piece of the marked passage."""

    @property
    def shared(self) -> bool:
        """True where two chunks or more overlap."""
        return len(self.chunks) > 1

    @property
    def gap(self) -> bool:
        """True for the empty lines between two chunks."""
        return not self.chunks and "\n" in self.text and self.text.isspace() and not self.marked

    @property
    def over(self) -> int:
        """The colour of the earlier chunk, shown as stripes."""
        return (self.chunks[0] - 1) % HUES

    @property
    def where(self) -> str:
        """The chunks in words."""
        return f"in chunks {', '.join(map(str, self.chunks[:-1]))} and {self.chunks[-1]}" if self.shared else ""


@dataclass(frozen=True, slots=True)
class ParentMark:
    """The parent that begins here: its number, where it lies, how many chunks it holds."""

    number: int
    span: Span
    chunks: int


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """The text from the start of one chunk to the start of the next.

    `heading`: the path above it as titles. `parent`: set on the first shown chunk of a parent; `parent_number` on all.
    """

    number: int
    span: Span
    tokens: int | None
    over_window: bool
    segments: tuple[Segment, ...]
    heading: tuple[str, ...] = ()
    parent: ParentMark | None = None
    parent_number: int | None = None

    @property
    def hue(self) -> int:
        """Which of the colours in turn it has."""
        return (self.number - 1) % HUES


def chunk_rows(
    doc: SourceDoc,
    chunks: Sequence[Chunk],
    tokens: Sequence[int] = (),
    *,
    first: int = 0,
    count: int = CHUNKS_A_PAGE,
    window: int | None = None,
    mark: tuple[int, int] | None = None,
) -> list[ChunkRow]:
    """Return chunks `first` to `first + count` of a document as rows; together their text runs on without a gap."""
    spans = [chunk.span for chunk in chunks]
    parents = parent_marks(chunks)
    sizes = dict(enumerate(tokens))
    begins = [0, *(span.start for span in spans[1:]), len(doc.text)]
    rows: list[ChunkRow] = []
    for index in range(first, min(first + count, len(spans))):
        size = sizes.get(index)
        parent = parents.get(chunks[index].parent)
        rows.append(
            ChunkRow(
                number=index + 1,
                span=spans[index],
                tokens=size,
                over_window=bool(window and size and size > window),
                segments=tuple(_segments(doc, spans, index, begins[index], begins[index + 1], mark)),
                heading=tuple(chunks[index].heading.split(" > ")) if chunks[index].heading else (),
                parent=parent if parent and (not rows or rows[-1].parent_number != parent.number) else None,
                parent_number=parent.number if parent else None,
            )
        )
    return rows


def parent_marks(chunks: Sequence[Chunk]) -> dict[Span | None, ParentMark]:
    """Return the parents of chunks by span, numbered in order; empty for chunks without."""
    counts = Counter(chunk.parent for chunk in chunks if chunk.parent is not None)
    return {span: ParentMark(number, span, counts[span]) for number, span in enumerate(counts, 1)}


def _segments(
    doc: SourceDoc, spans: Sequence[Span], index: int, begin: int, end: int, mark: tuple[int, int] | None
) -> list[Segment]:
    """Cut a row where an earlier chunk ends, a page begins or the marked passage starts or stops."""
    # Chunks that still run at `begin`: starts and ends are both in order, so the first that ended is the last to ask.
    running = sorted([index, *takewhile(lambda earlier: spans[earlier].end > begin, range(index - 1, -1, -1))])
    cuts = {begin, end, *(spans[i].end for i in running), spans[index].start, *(mark or ())}
    pages = {start: number for number, start in enumerate(doc.page_starts, 1) if begin <= start < end}
    edges = sorted(cut for cut in cuts | set(pages) if begin <= cut <= end)
    return [
        Segment(
            text=doc.text[left:right],
            chunks=tuple(i + 1 for i in running if spans[i].start <= left and right <= spans[i].end),
            page=pages.get(left),
            marked=mark is not None and mark[0] <= left and right <= mark[1],
            begins=mark is not None and mark[0] == left,
        )
        for left, right in pairwise(edges)
    ]


def page_holding(spans: Sequence[Span], offset: int) -> int:
    """Return the 1-based page of chunks that shows character `offset`."""
    before = sum(1 for span in spans if span.start <= offset)
    return max(0, before - 1) // CHUNKS_A_PAGE + 1


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of the spread: `count` sizes from `low` to under `high`, `over` of them longer than the window."""

    low: int
    high: int
    count: int
    over: int


@dataclass(frozen=True, slots=True)
class SizeSpread:
    """How large the chunks are."""

    count: int
    smallest: int
    median: float
    largest: int
    bars: tuple[Bar, ...]


def size_spread(sizes: Sequence[int], window: int | None = None) -> SizeSpread | None:
    """Return the spread of chunk sizes; None without chunks."""
    if not sizes:
        return None
    width = _round_width(max(sizes) / _BINS)
    counts = Counter(size // width for size in sizes)
    over = Counter(size // width for size in sizes if window is not None and size > window)
    bars = tuple(Bar(slot * width, (slot + 1) * width, counts[slot], over[slot]) for slot in range(max(counts) + 1))
    return SizeSpread(len(sizes), min(sizes), statistics.median(sizes), max(sizes), bars)


def _round_width(least: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50 … that is not below `least`."""
    power = int(10 ** math.floor(math.log10(max(least, 1))))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least)
