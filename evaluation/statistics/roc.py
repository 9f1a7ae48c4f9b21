"""The area under the ROC curve: how well scores order right answers above wrong ones, with its interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from evaluation.statistics.intervals import LEVEL, Estimate, Floats, Z, blocks

Bools = npt.NDArray[np.bool_]
Indexes = npt.NDArray[np.intp]

RESAMPLES = 500


@dataclass(frozen=True)
class Levels:
    """How many right and wrong rows each cluster has at each distinct score; arrays of shape (clusters, scores).

    `values` are the distinct scores, the lowest first. Any number of clusters may be summed into one row.
    """

    values: Floats
    right: Floats
    wrong: Floats

    @classmethod
    def of(cls, scores: Floats, marks: Bools, clusters: Sequence[str] | None = None) -> Levels:
        """Count rows; without `clusters` all are one."""
        index = np.zeros(len(scores), np.intp) if clusters is None else cluster_numbers(clusters)
        values, level = np.unique(scores, return_inverse=True)
        shape = int(index.max()) + 1, len(values)
        right, wrong = (
            np.bincount((index * shape[1] + level)[marks == mark], minlength=shape[0] * shape[1])
            .reshape(shape)
            .astype(np.float64)
            for mark in (True, False)
        )
        return cls(values, right, wrong)

    def resamples(self, seed: int, count: int) -> Iterator[Levels]:
        """Yield resamples of whole clusters, each summed into one row; some of the `count` at a time."""
        clusters = len(self.right)
        for place, size in enumerate(blocks(count, max(clusters, len(self.values)))):
            drawn = _drawn(clusters, size, seed + place)
            yield Levels(self.values, drawn @ self.right, drawn @ self.wrong)

    def areas(self) -> Floats:
        """Return the AUROC of each row; NaN where it lacks a mark."""
        below = np.cumsum(self.wrong, axis=1) - self.wrong
        couples = self.right.sum(axis=1) * self.wrong.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = np.sum(self.right * (below + self.wrong / 2), axis=1) / couples
        return found


@lru_cache(maxsize=8)  # the metrics of a run mostly score the same clusters, and drawing takes longest
def _drawn(clusters: int, resamples: int, seed: int) -> Floats:
    """Return how often each cluster is drawn, shape (resamples, clusters)."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples).astype(np.float64)


def auroc(scores: Floats, marks: Bools) -> float:
    """Return the area under the ROC curve: the share of (right, wrong) couples that the scores order, ties as half.

    Mann and Whitney's U over the number of couples (Hanley and McNeil 1982). Both marks must occur.
    """
    return float(Levels.of(scores, marks).areas()[0])


def auroc_estimate(
    scores: Floats, marks: Bools, clusters: Sequence[str], *, seed: int = 0, resamples: int = RESAMPLES
) -> Estimate:
    """Return the AUROC with its 95 % interval: percentiles over resampled clusters, never narrower than Newcombe's.

    The bootstrap knows that twins belong together, but shows no doubt when every couple is ordered rightly; Newcombe's
    interval does, taken at the numbers of clusters that have a right, and a wrong, answer.
    """
    value = auroc(scores, marks)
    levels = Levels.of(scores, marks, clusters)
    replicates = np.concatenate([each.areas() for each in levels.resamples(seed, resamples)])
    replicates = replicates[np.isfinite(replicates)]
    tails = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    low, high = np.quantile(replicates, tails) if len(replicates) else (value, value)
    right, wrong = (int(np.count_nonzero(side.sum(axis=1))) for side in (levels.right, levels.wrong))
    least, most = newcombe(value, right, wrong)
    return Estimate(value, min(float(low), least), max(float(high), most), "bootstrap over pairs, at least Newcombe's")


def newcombe(area: float, right: int, wrong: int) -> tuple[float, float]:
    """Return Newcombe's interval for an AUROC of `right` against `wrong` rows (his method 5, 2006).

    The areas A that lie within z standard errors of the observed one, with the variance at A itself:
    A(1 − A)(1 + N(1 − A)/(2 − A) + N·A/(1 + A)) / (right · wrong), N = (right + wrong)/2 − 1.
    """

    def beyond(candidate: float) -> bool:
        half = (right + wrong) / 2 - 1
        spread = candidate * (1 - candidate)
        spread *= 1 + half * (1 - candidate) / (2 - candidate) + half * candidate / (1 + candidate)
        return abs(area - candidate) > Z * math.sqrt(max(0.0, spread) / (right * wrong))

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
