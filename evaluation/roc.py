"""The area under the ROC curve: how well scores order right answers above wrong ones, with its interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from evaluation.stats import LEVEL, Estimate, Floats, blocks

Bools = npt.NDArray[np.bool_]
Indexes = npt.NDArray[np.intp]

RESAMPLES = 1000

_Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)


def auroc(scores: Floats, marks: Bools) -> float:
    """Return the area under the ROC curve: the share of (right, wrong) couples that the scores order, ties as half.

    Mann and Whitney's U over the number of couples (Hanley and McNeil 1982). Both marks must occur.
    """
    return float(_weighted_auroc(scores, marks, np.ones((1, len(scores))))[0])


def _weighted_auroc(scores: Floats, marks: Bools, weights: Floats) -> Floats:
    """Return the AUROC of each row of `weights`, shape (resamples, rows); NaN where a mark has no weight."""
    _, level = np.unique(scores, return_inverse=True)
    order = np.argsort(level, kind="stable")
    starts = np.flatnonzero(np.diff(level[order], prepend=-1))
    right, wrong = (
        np.add.reduceat(np.where(marks[order] == mark, weights[:, order], 0.0), starts, axis=1)
        for mark in (True, False)
    )
    below = np.cumsum(wrong, axis=1) - wrong
    with np.errstate(invalid="ignore", divide="ignore"):
        won: Floats = np.sum(right * (below + wrong / 2), axis=1) / (right.sum(axis=1) * wrong.sum(axis=1))
    return won


def auroc_estimate(
    scores: Floats, marks: Bools, clusters: Sequence[str], *, seed: int = 0, resamples: int = RESAMPLES
) -> Estimate:
    """Return the AUROC with its 95 % interval: percentiles over resampled clusters, never narrower than Newcombe's.

    The bootstrap knows that twins belong together, but shows no doubt when every couple is ordered rightly; Newcombe's
    interval does, taken at the numbers of clusters that have a right, and a wrong, answer.
    """
    value = auroc(scores, marks)
    index = cluster_numbers(clusters)
    replicates = _replicates(scores, marks, index, np.random.default_rng(seed), resamples)
    tails = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    low, high = np.quantile(replicates, tails) if len(replicates) else (value, value)
    right, wrong = (len(np.unique(index[marks == mark])) for mark in (True, False))
    least, most = newcombe(value, right, wrong)
    return Estimate(value, min(float(low), least), max(float(high), most), "bootstrap over pairs, at least Newcombe's")


def _replicates(scores: Floats, marks: Bools, index: Indexes, rng: np.random.Generator, resamples: int) -> Floats:
    """Return the AUROC of each resample of whole clusters in which both marks occur."""
    count = int(index.max()) + 1
    found = []
    for size in blocks(resamples, max(count, len(index))):
        drawn = rng.multinomial(count, np.full(count, 1 / count), size=size)
        found.append(_weighted_auroc(scores, marks, drawn[:, index].astype(np.float64)))
    replicates = np.concatenate(found)
    return replicates[np.isfinite(replicates)]


def newcombe(area: float, right: int, wrong: int) -> tuple[float, float]:
    """Return Newcombe's interval for an AUROC of `right` against `wrong` rows (his method 5, 2006).

    The areas A that lie within z standard errors of the observed one, with the variance at A itself:
    A(1 − A)(1 + N(1 − A)/(2 − A) + N·A/(1 + A)) / (right · wrong), N = (right + wrong)/2 − 1.
    """

    def beyond(candidate: float) -> bool:
        half = (right + wrong) / 2 - 1
        spread = candidate * (1 - candidate)
        spread *= 1 + half * (1 - candidate) / (2 - candidate) + half * candidate / (1 + candidate)
        return abs(area - candidate) > _Z * math.sqrt(max(0.0, spread) / (right * wrong))

    return _edge(beyond, 0.0, area), _edge(beyond, 1.0, area)


def _edge(beyond: Callable[[float], bool], outside: float, inside: float) -> float:
    """Return by bisection where `beyond` turns, between a value outside the interval and one inside."""
    if not beyond(outside):
        return outside
    for _ in range(60):
        middle = (outside + inside) / 2
        outside, inside = (middle, inside) if beyond(middle) else (outside, middle)
    return inside


def cluster_numbers(clusters: Sequence[str]) -> Indexes:
    """Return the number of each row's cluster, from 0 on."""
    return np.unique(np.array(clusters), return_inverse=True)[1].astype(np.intp)
