"""Scores of retrieved spans against the spans that answer a question, by characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt

from rag_pipeline.types import Span

MEASURES = ("recall", "precision", "omega", "IoU", "hit rate", "MRR")


@dataclass(frozen=True, slots=True)
class SpanScores:
    """Scores of one question, 0..1; the first four as Smith and Troynikov (2024) define them.

    `recall`: characters of references found, of all of them. `precision`: the same, of all characters given (those
    that overlapping chunks give twice count twice). `omega`: the precision of all chunks that touch a reference, had
    just these been given; a chunk that ends where a reference begins touches it. `iou`: characters found, of those
    given and those missed. `hit`: 1 when a span given covers at least half of a reference; `reciprocal_rank`: 1 over
    the rank of the first such.
    """

    recall: float
    precision: float
    omega: float
    iou: float
    hit: float
    reciprocal_rank: float


def score_spans(given: Sequence[Span], references: Sequence[Span], omega: float) -> SpanScores:
    """Score the spans given for one question, best first."""
    wanted, found = union(references), union(given)
    hit = common(wanted, found)
    total = sum(map(len, references))
    paid = sum(map(len, given))
    missed = sum(map(len, wanted)) - hit
    rank = first_gold(given, references)
    return SpanScores(
        recall=hit / total,
        precision=hit / paid if paid else 0.0,
        omega=omega,
        iou=hit / (paid + missed),
        hit=float(rank > 0),
        reciprocal_rank=1 / rank if rank else 0.0,
    )


def omega_of(chunks: npt.NDArray[np.int64], references: Sequence[Span]) -> float:
    """Return precision-omega of rows (document id, start, end) for one question."""
    touching = np.zeros(len(chunks), bool)
    for each in references:
        beside = (chunks[:, 1] <= each.end) & (each.start <= chunks[:, 2])
        touching |= beside & (chunks[:, 0] == each.document_id)
    covered = union([Span(*row) for row in chunks[touching].tolist()])
    size = sum(map(len, covered))
    return common(union(references), covered) / size if size else 0.0


def union(spans: Sequence[Span]) -> list[Span]:
    """Return spans that cover the same characters, in order and apart from each other."""
    apart: list[Span] = []
    for span in sorted(spans):
        last = apart[-1] if apart else None
        if last is not None and last.document_id == span.document_id and span.start <= last.end:
            apart[-1] = Span(span.document_id, last.start, max(last.end, span.end))
        else:
            apart.append(span)
    return apart


def common(one: Sequence[Span], other: Sequence[Span]) -> int:
    """Return how many characters two lists of spans have in common, each list apart in itself."""
    return sum(shared(a, b) for a in one for b in other)


def shared(one: Span, other: Span) -> int:
    """Return how many characters two spans have in common."""
    if one.document_id != other.document_id:
        return 0
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def first_gold(given: Sequence[Span], references: Sequence[Span]) -> int:
    """Return the rank, from 1, of the first span that covers at least half of a reference; 0 when none does."""
    for rank, span in enumerate(given, 1):
        if any(2 * shared(span, each) >= len(each) for each in references):
            return rank
    return 0


def as_row(scores: SpanScores) -> tuple[float, ...]:
    """Return the scores in the order of MEASURES."""
    return astuple(scores)
