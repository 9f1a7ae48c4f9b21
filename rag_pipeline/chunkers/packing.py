"""Packing: pieces that stay whole are joined to chunks of a size; what is too long is cut at words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from rag_pipeline.chunkers.rulers import Ruler, Slice

_WORD = re.compile(r"\S+")


def packed(ruler: Ruler, pieces: Iterable[Slice], size: int, overlap: int = 0) -> Iterator[Slice]:
    """Join neighbouring pieces to slices of at most `size`; a slice begins with the last pieces of the one before.

    The repeat is as many whole pieces as `overlap` holds, fewer where the next piece would not fit after them. A piece
    longer than `size` is cut between words, a word longer than that by size.
    """
    for run in _runs(ruler, pieces, size):
        yield from _filled(ruler, run, size, overlap)


def _runs(ruler: Ruler, pieces: Iterable[Slice], size: int) -> Iterator[list[Slice]]:
    """Yield neighbours that fit. A part of a word is a run by itself: beside others it might have more tokens."""
    run: list[Slice] = []
    for piece in pieces:
        if ruler.length(*piece) <= size:
            run.append(piece)
            continue
        for word in _WORD.finditer(ruler.text, *piece):
            if ruler.length(*word.span()) <= size:
                run.append(word.span())
                continue
            yield run
            run = []
            yield from ([part] for part in ruler.windows(*word.span(), size, 0))
    yield run


def _filled(ruler: Ruler, pieces: Sequence[Slice], size: int, overlap: int) -> Iterator[Slice]:
    ends = [end for _, end in pieces]
    first = 0
    while first < len(pieces):
        start = pieces[first][0]
        last = max(_reach(ruler, start, ends, size, first) - 1, first)
        yield start, ends[last]
        if last + 1 == len(pieces):
            return
        first = _again(ruler, pieces, first, last, size, overlap)


def _again(ruler: Ruler, pieces: Sequence[Slice], first: int, last: int, size: int, overlap: int) -> int:
    """Return the piece that the slice after `first` to `last` begins with."""
    begin = last + 1
    while begin - 1 > first:
        start = pieces[begin - 1][0]
        if ruler.length(start, pieces[last][1]) > overlap or ruler.length(start, pieces[last + 1][1]) > size:
            break
        begin -= 1
    return begin


def _reach(ruler: Ruler, start: int, ends: Sequence[int], size: int, first: int) -> int:
    """Return how many of `ends` lie within `size` of `start`; the ends before `first` do."""
    step = 1
    high = first
    while high < len(ends) and ruler.length(start, ends[high]) <= size:
        high, step = high + step, step * 2
    low = max(first, high - step // 2)
    return bisect_right(ends, size, low, min(high, len(ends)), key=lambda end: ruler.length(start, end))
