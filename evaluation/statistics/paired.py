"""Did it help? The difference of two runs on the same questions, with an interval, a p-value and a word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.statistics import student
from evaluation.statistics.intervals import (
    Floats,
    Spread,
    Term,
    blind,
    cluster_index,
    cluster_sums,
    ends,
    spread,
    unseen_width,
)

BETTER, WORSE, SAME = "better", "worse", "not distinguishable"

SIGNIFICANT = 0.05
_HALVINGS = 60
_FARTHEST = 1e9


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean paired difference b − a with its 95 % interval, the p-value of no difference, and the verdict on b."""

    mean: float
    low: float
    high: float
    p: float
    clusters: int
    verdict: str


def paired_difference(terms: Sequence[Term], *, higher_is_better: bool = True) -> Difference:
    """Compare two runs; the terms' values are differences b − a of one question, repeats averaged before.

    Student's t on what each cluster changes. Interval, p and verdict are one test: p is 1 − the level at which the
    interval just reaches 0, and the verdict says whether the 95 % interval leaves 0 out. Where all values are equal or
    the clusters fewer than six, the interval is widened by what was never seen (`Term.unseen`).
    """
    mean = math.fsum(term.weight * term.mean for term in terms)
    found = spread(terms)
    unseen = blind(terms, found)
    below, above = _widths(found, unseen, found.quantile)
    low_end, high_end = ends(terms)
    p = _p(mean, found, unseen)
    verdict = SAME if p >= SIGNIFICANT else BETTER if (mean > 0) == higher_is_better else WORSE
    clusters = {cluster for term in terms for cluster in term.clusters}
    return Difference(mean, max(low_end, mean - below), min(high_end, mean + above), p, len(clusters), verdict)


def contributions(terms: Sequence[Term]) -> Floats:
    """Return what each cluster adds to the weighted sum of means; they add up to it."""
    index = cluster_index(terms)
    total = np.zeros(len(index))
    for term in terms:
        sums, counts = cluster_sums(term, index)
        total += term.weight * sums / counts.sum()
    return total


def holm(ps: Sequence[float]) -> list[float]:
    """Return p-values corrected for being looked at together (Holm 1979): with all below 0.05 taken for differences,
    a false one is among them in at most one of twenty families."""
    order = sorted(range(len(ps)), key=lambda place: ps[place])
    corrected, highest = [0.0] * len(ps), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[place]))
        corrected[place] = highest
    return corrected


def _widths(found: Spread, unseen: Sequence[Term], quantile: float) -> tuple[float, float]:
    """Return how far the interval reaches below and above the mean when it is `quantile` standard errors wide."""
    seen = quantile * math.sqrt(found.variance)
    below, above = unseen_width(unseen, quantile)
    return math.hypot(seen, below), math.hypot(seen, above)


def _p(mean: float, found: Spread, unseen: Sequence[Term]) -> float:
    """Return the p-value of no difference: the tail beyond the quantile at which the interval just reaches 0."""
    short, enough = 0.0, 1.0
    while not _reaches(mean, found, unseen, enough):
        short, enough = enough, 2 * enough
        if enough > _FARTHEST:
            break
    for _ in range(_HALVINGS):
        middle = (short + enough) / 2
        short, enough = (short, middle) if _reaches(mean, found, unseen, middle) else (middle, enough)
    return student.two_sided(short, found.freedom)


def _reaches(mean: float, found: Spread, unseen: Sequence[Term], quantile: float) -> bool:
    below, above = _widths(found, unseen, quantile)
    return abs(mean) <= (below if mean > 0 else above)
