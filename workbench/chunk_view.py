"""How a document is shown cut into chunks: margin numbers, overlaps, pages, and the spread of sizes."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_pipeline.types import SourceDoc, Span

CHUNKS_A_PAGE = 50
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
    def where(self) -> str:
        """The chunks in words."""
        return f"in chunks {', '.join(map(str, self.chunks[:-1]))} and {self.chunks[-1]}" if self.shared else ""


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """The text from the start of one chunk to the start of the next."""

    number: int
    span: Span
    tokens: int | None
    over_window: bool
    segments: tuple[Segment, ...]


def chunk_rows(
    doc: SourceDoc,
    spans: Sequence[Span],
    tokens: Sequence[int] = (),
    *,
    first: int = 0,
    count: int = CHUNKS_A_PAGE,
    window: int | None = None,
    mark: tuple[int, int] | None = None,
) -> list[ChunkRow]:
    """Return chunks `first` to `first + count` of a document as rows; together their text runs on without a gap."""
    rows = []
    for index in range(first, min(first + count, len(spans))):
        begin = 0 if index == 0 else spans[index].start
        end = spans[index + 1].start if index + 1 < len(spans) else len(doc.text)
        size = tokens[index] if index < len(tokens) else None
        rows.append(
            ChunkRow(
                number=index + 1,
                span=spans[index],
                tokens=size,
                over_window=bool(window and size and size > window),
                segments=tuple(_segments(doc, spans, index, begin, end, mark)),
            )
        )
    return rows


def _segments(
    doc: SourceDoc, spans: Sequence[Span], index: int, begin: int, end: int, mark: tuple[int, int] | None
) -> list[Segment]:
    """Cut a row where an earlier chunk ends, a page begins or the marked passage starts or stops."""
    # Chunks that still run at `begin`: starts and ends are both in order, so the first that ended is the last to ask.
    running = [index]
    for earlier in range(index - 1, -1, -1):
        if spans[earlier].end <= begin:
            break
        running.insert(0, earlier)
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
    """One bar of the spread: sizes from `low` to under `high`; `share` of the tallest bar, in percent."""

    low: int
    high: int
    count: int
    share: float
    over_window: bool


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
    counts = [0] * (max(sizes) // width + 1)
    for size in sizes:
        counts[size // width] += 1
    tallest = max(counts)
    bars = tuple(
        Bar(
            low=slot * width,
            high=(slot + 1) * width,
            count=count,
            share=round(100 * count / tallest, 1),
            over_window=window is not None and slot * width > window,
        )
        for slot, count in enumerate(counts)
    )
    return SizeSpread(len(sizes), min(sizes), statistics.median(sizes), max(sizes), bars)


def _round_width(least: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50 … that is not below `least`."""
    power = int(10 ** math.floor(math.log10(max(least, 1))))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least)
