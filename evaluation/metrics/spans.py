"""Characters that evidence and contexts share, white space not counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from evaluation.metrics.once import once_a_sample
from evaluation.types import Sample
from rag_pipeline.types import Span

Piece = tuple[int, int, str]
"""Document, offset of the first character, and a text of it."""
Range = tuple[int, int, int]
"""Document, first character, and the one after the last."""


@once_a_sample
def context_pieces(sample: Sample) -> list[Piece]:
    """Return the texts of all contexts as pieces of which no two hold the same character."""
    return _disjoint((each.span.document_id, each.span.start, each.text) for each in sample.trace.contexts)


def _disjoint(places: Iterable[Piece]) -> list[Piece]:
    """Return the same characters as pieces of which no two hold the same one."""
    pieces: list[Piece] = []
    for document, members in groupby(sorted(places, key=lambda place: place[:2]), key=lambda place: place[0]):
        reached = 0
        for _, start, text in members:
            fresh = text[max(0, reached - start) :]
            if fresh:
                pieces.append((document, start + len(text) - len(fresh), fresh))
            reached = max(reached, start + len(text))
    return pieces


def characters_in(pieces: Iterable[Piece]) -> int:
    """Return how many characters some pieces hold."""
    return sum(_characters(text) for _, _, text in pieces)


@once_a_sample
def gold_in_contexts(sample: Sample) -> int:
    """Return how many of the contexts' characters are evidence, or a verbatim repeat of it."""
    gold = list(_merged((copy.document_id, copy.start, copy.end) for each in sample.evidence_copies for copy in each))
    return sum(
        _characters(text[max(0, first - start) : max(0, last - start)])
        for document, start, text in context_pieces(sample)
        for other, first, last in gold
        if other == document
    )


@once_a_sample
def evidence_characters(sample: Sample) -> tuple[int, int]:
    """Return how many characters of the evidence the contexts hold, themselves or in a repeat, and how many it has."""
    evidence = list(zip(sample.evidence_copies, sample.evidence_texts, strict=True))
    whole = _disjoint((copies[0].document_id, copies[0].start, text) for copies, text in evidence)
    held = _disjoint(piece for copies, text in evidence for piece in _held(copies, text, sample))
    return characters_in(held), characters_in(whole)


def _held(copies: Sequence[Span], text: str, sample: Sample) -> Iterator[Piece]:
    """Yield the parts of an evidence span that a context holds, at their place in the span itself."""
    for copy in copies:
        for context in sample.trace.contexts:
            span = context.span
            if span.document_id == copy.document_id and span.start < copy.end and copy.start < span.end:
                first = max(copy.start, span.start) - copy.start
                last = min(copy.end, span.end) - copy.start
                yield copies[0].document_id, copies[0].start + first, text[first:last]


@lru_cache(maxsize=8192)
def _characters(text: str) -> int:
    """Count what is not white space; the same chunk is retrieved for many questions."""
    return len("".join(text.split()))


def _merged(ranges: Iterable[Range]) -> Iterator[Range]:
    """Yield the same characters as ranges that do not overlap."""
    reached = (-1, 0)
    for document, start, end in sorted(ranges):
        first = max(start, reached[1]) if reached[0] == document else start
        if first < end:
            yield document, first, end
            reached = (document, end)
