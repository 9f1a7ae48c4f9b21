"""Characters that evidence and contexts share, white space not counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from evaluation.metrics.context_matching import covered_positions, evidence_positions
from evaluation.types import Sample

Piece = tuple[int, int, str]
"""Document, offset of the first character, and a text of it."""
Range = tuple[int, int, int]
"""Document, first character, and the one after the last."""


def context_pieces(sample: Sample) -> list[Piece]:
    """Return the texts of all contexts as pieces of which no two hold the same character."""
    pieces: list[Piece] = []
    places = ((each.span.document_id, each.span.start, each.text) for each in sample.trace.contexts)
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


def gold_in_contexts(sample: Sample, pieces: Sequence[Piece]) -> int:
    """Return how many of the contexts' characters are evidence, or a verbatim repeat of it."""
    gold = list(_merged((copy.document_id, copy.start, copy.end) for each in sample.evidence_copies for copy in each))
    return sum(
        _characters(text[max(0, first - start) : max(0, last - start)])
        for document, start, text in pieces
        for other, first, last in gold
        if other == document
    )


def missing_evidence(sample: Sample) -> int:
    """Return how many characters of the evidence no context holds."""
    wanted = evidence_positions(sample)
    return len(wanted - covered_positions(sample, wanted))


def _characters(text: str) -> int:
    return len("".join(text.split()))


def _merged(ranges: Iterable[Range]) -> Iterator[Range]:
    """Yield the same characters as ranges that do not overlap."""
    reached = (-1, 0)
    for document, start, end in sorted(ranges):
        first = max(start, reached[1]) if reached[0] == document else start
        if first < end:
            yield document, first, end
            reached = (document, end)
