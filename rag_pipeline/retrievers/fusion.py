"""Several rankings to one: reciprocal rank fusion (Cormack, Clarke, Büttcher: SIGIR 2009)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rag_pipeline.types import Hit, Span

Rows = npt.NDArray[np.integer[Any]]

CONSTANT = 60
"""k of the paper: how little the first ranks stand out."""


def fuse(
    rankings: Sequence[Sequence[Hit]],
    top_k: int,
    weights: Sequence[float] | None = None,
    constant: int = CONSTANT,
) -> list[Hit]:
    """Return the `top_k` best of all rankings by the sum of weight / (constant + rank) over the rankings.

    A ranking's order counts, its scores do not: rank is the place in it, from 1, and a span that it names twice counts
    at its first place. A ranking of weight 0 adds nothing. Ties go to the better single rank, then to the earlier place
    in the documents. The score of a hit is its sum.
    """
    shares: dict[Span, list[float]] = {}
    best: dict[Span, int] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        if weight == 0:
            continue
        for rank, span in enumerate(dict.fromkeys(hit.span for hit in ranking), 1):
            shares.setdefault(span, []).append(weight / (constant + rank))
            best[span] = min(rank, best.get(span, rank))
    # fsum, because the order of adding must not break a tie.
    scores = {span: math.fsum(parts) for span, parts in shares.items()}
    order = sorted(scores, key=lambda span: (-scores[span], best[span], span))
    return [Hit(span, scores[span], rank) for rank, span in enumerate(order[:top_k], 1)]


def fuse_rows(
    rankings: Sequence[Rows], spans: Rows, top_k: int, weights: Sequence[float], constant: int = CONSTANT
) -> list[tuple[int, float]]:
    """Do as `fuse` does with two rankings of rows, none of them twice in one; return (row, score), best first.

    `spans`: document, start and end of each row, for ties.
    """
    counted = [(rows, weight) for rows, weight in zip(rankings, weights, strict=True) if weight and len(rows)]
    if not counted:
        return []
    named, place = np.unique(np.concatenate([rows for rows, _ in counted]), return_inverse=True)
    scores, best, start = np.zeros(len(named)), np.full(len(named), len(place) + 1), 0
    for rows, weight in counted:
        own, ranks = place[start : start + len(rows)], np.arange(1, len(rows) + 1)
        scores[own] += weight / (constant + ranks)
        best[own] = np.minimum(best[own], ranks)
        start += len(rows)
    where = spans[named]
    order = np.lexsort((where[:, 2], where[:, 1], where[:, 0], best, -scores))[:top_k]
    return list(zip(named[order].tolist(), scores[order].tolist(), strict=True))
