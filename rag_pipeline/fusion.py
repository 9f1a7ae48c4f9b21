"""Reciprocal rank fusion: several rankings of the same chunks to one (Cormack, Clarke and Büttcher, SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Sequence

from rag_pipeline.types import Hit, Span

CONSTANT = 60
"""The paper's k: how little the very first ranks count more than the next."""


def fuse(
    rankings: Sequence[Sequence[Hit]], top_k: int, weights: Sequence[float] | None = None, constant: int = CONSTANT
) -> list[Hit]:
    """Return the best `top_k` chunks by the sum of weight / (constant + rank) over the rankings that hold them.

    A ranking of weight 0 adds nothing, not even its chunks. Ties: the better single rank, then document and position.
    """
    scores: dict[Span, float] = {}
    best: dict[Span, int] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for hit in ranking if weight > 0 else ():
            scores[hit.span] = scores.get(hit.span, 0.0) + weight / (constant + hit.rank)
            best[hit.span] = min(hit.rank, best.get(hit.span, hit.rank))
    order = sorted(scores, key=lambda span: (-scores[span], best[span], span))[:top_k]
    return [Hit(span, scores[span], rank) for rank, span in enumerate(order, 1)]
