"""Intervals for means of scores: Wilson's over clusters of rows, never falsely certain.

A mean is estimated from `Term`s. One term is a plain mean; several with weights are a sum of means of the same clusters
(knowledge bounding: two rates with weight 1/2; the total: five scores). Rows come in clusters (a simple question with
its twin), which count as one, within strata (answerable, out-of-scope) whose sizes the test set fixes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from evaluation.statistics import student

Floats = npt.NDArray[np.float64]
Cluster = tuple[str, str]
"""(stratum, id)."""

LEVEL = 0.95
SMALLEST_SAMPLE = 6
"""Below this many clusters a sample shows too few values to be trusted (see `Term.unseen`)."""

_NORMAL = NormalDist()
Z = _NORMAL.inv_cdf(0.5 + LEVEL / 2)
"""Standard deviations from the middle of a normal distribution to either end of its `LEVEL`."""
_BLOCK = 4_000_000  # drawn numbers held at once
_ROUNDING = 1e-9  # standard errors below this part of the values are rounding


@dataclass(frozen=True)
class Term:
    """Scored rows whose mean, times `weight`, is one summand. `low` and `high` bound every value."""

    values: Sequence[float]
    clusters: Sequence[Cluster]
    weight: float = 1.0
    low: float = 0.0
    high: float = 1.0

    @cached_property
    def mean(self) -> float:
        """Mean over rows."""
        return math.fsum(self.values) / len(self.values)

    @cached_property
    def cluster_count(self) -> int:
        """Number of clusters that have a row."""
        return len(set(self.clusters))

    @cached_property
    def reach(self) -> float:
        """How far the values lie apart."""
        return max(self.values) - min(self.values)

    @property
    def constant(self) -> bool:
        """True when all rows have the same value, so that the sample shows no uncertainty."""
        return self.reach < 1e-9

    @property
    def binary(self) -> bool:
        """True when every value is 0 or 1."""
        return self.low == 0 and self.high == 1 and all(value in (0, 1) for value in self.values)

    def unseen(self, quantile: float) -> tuple[float, float]:
        """Return how far the mean may lie below and above the sampled one because of values never seen.

        With n clusters all alike, at most a share q of the others differs (Wilson's upper bound for 0 of n,
        q = z² / (n + z²), z the `quantile`; the exact form of the "rule of three", Hanley and Lippman-Hand 1983), and
        those differ at most up to the ends of the range. For values that are all 1 this is Wilson's interval for n of
        n. Where the range has no end (seconds, tokens), by as much as the mean or the spread of what was sampled.
        """
        share = quantile**2 / (self.cluster_count + quantile**2)
        usual = max(abs(self.mean), self.reach)
        below, above = self.mean - self.low, self.high - self.mean
        return (
            share * (below if math.isfinite(below) else usual),
            share * (above if math.isfinite(above) else usual),
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval and how that was found."""

    mean: float
    low: float
    high: float
    method: str


def wilson(successes: float, n: float, z: float = Z) -> tuple[float, float]:
    """Return Wilson's score interval for a share (Wilson 1927). `n` may be an effective sample size."""
    share = successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def effective_size(term: Term) -> float:
    """Return the number of independent rows that carry as much information as a 0/1 term's clustered rows.

    p(1 − p) over the clusters' variance (Kish 1965; in Wilson's interval: Dean and Pagano 2015); the number of rows
    where every row is a cluster of its own, of clusters where all rows agree.
    """
    share, n = term.mean, len(term.values)
    if term.constant:
        return term.cluster_count
    sums, counts = cluster_sums(term, cluster_index([term]))
    variance = float(np.sum((sums - share * counts) ** 2)) / n**2
    return n if variance <= 0 else min(float(n), max(1.0, share * (1 - share) / variance))


def estimate(terms: Sequence[Term]) -> Estimate:
    """Return the weighted sum of the terms' means with its 95 % interval. Each term needs at least one row.

    Wilson's score interval on the scale of the sum, at the number of yes-or-no rows that would be as uncertain
    (`_score_interval`); a sum without an end to its range: Student's t. What the sample cannot show, because a term's
    values are all equal or its clusters too few, is added as in `Term.unseen`, the terms taken as independent
    (MOVER, Zou and Donner 2008).
    """
    mean = math.fsum(term.weight * term.mean for term in terms)
    low_end, high_end = ends(terms)
    if len(terms) == 1 and terms[0].weight == 1 and terms[0].binary:
        size = effective_size(terms[0])
        low, high = wilson(mean * size, size)
        return Estimate(mean, min(low, mean), max(high, mean), "Wilson")
    found = spread(terms)
    low, high = _score_interval(mean, found, low_end, high_end)
    unseen = blind(terms, found)
    if unseen:
        below, above = unseen_width(unseen, Z)
        low, high = mean - math.hypot(mean - low, below), mean + math.hypot(high - mean, above)
    method = _method(found, bounded=math.isfinite(high_end - low_end), blind=bool(unseen))
    return Estimate(mean, max(low_end, min(low, mean)), min(high_end, max(high, mean)), method)


def ends(terms: Sequence[Term]) -> tuple[float, float]:
    """Return the lowest and the highest value that the weighted sum can have."""
    reach = [sorted((term.weight * term.low, term.weight * term.high)) for term in terms if term.weight]
    return math.fsum(low for low, _ in reach), math.fsum(high for _, high in reach)


def _score_interval(mean: float, found: Spread, low: float, high: float) -> tuple[float, float]:
    """Return Wilson's interval (1927) for a mean between `low` and `high`, with Student's quantile in place of z.

    The rows are as many as make share · (1 − share) / n the mean's own variance (Kish 1965). Such an interval follows
    the skew that a mean near an end of its range has, which Student's t about the mean does not.
    """
    if not found.variance:
        return mean, mean
    quantile = found.quantile
    span = high - low
    if not math.isfinite(span):
        return mean - quantile * math.sqrt(found.variance), mean + quantile * math.sqrt(found.variance)
    share = min(1.0, max(0.0, (mean - low) / span))
    size = share * (1 - share) * span**2 / found.variance
    below, above = wilson(share * size, size, quantile) if size > 0 else (share, share)
    return low + span * below, low + span * above


def _method(found: Spread, *, bounded: bool, blind: bool) -> str:
    if not found.variance:
        return "Wilson bound on unseen values"
    name = "Wilson over pairs, with Student's t" if bounded else "Student's t over pairs"
    return name + (", widened for values never seen" if blind else "")


def blind(terms: Sequence[Term], found: Spread) -> list[Term]:
    """Return the terms whose sample shows too little of how far values differ: all where they cancel in each cluster.

    What one twin won and the other lost in every pair adds up to no variance at all, which the next pair need not keep.
    """
    weighted = [term for term in terms if term.weight]
    few = [term for term in weighted if term.constant or term.cluster_count < SMALLEST_SAMPLE]
    return few or ([] if found.variance else weighted)


def unseen_width(terms: Sequence[Term], quantile: float) -> tuple[float, float]:
    """Return how far the weighted sum may lie below and above because of values never seen in these terms."""
    below = above = 0.0
    for term in terms:
        down, up = (abs(term.weight) * width for width in term.unseen(quantile))
        below, above = math.hypot(below, down), math.hypot(above, up)
    return below, above


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of a weighted sum of means, and the degrees of freedom that it is known with."""

    variance: float
    freedom: float

    @property
    def quantile(self) -> float:
        """Standard errors from the middle of Student's distribution to either end of its `LEVEL`."""
        return student.quantile(LEVEL, self.freedom)


def spread(terms: Sequence[Term]) -> Spread:
    """Return how uncertain the weighted sum is, from what each cluster adds to it (linearised: Woodruff 1971).

    Within each stratum the clusters' contributions vary with n − 1 degrees of freedom; those of several strata
    are joined by Satterthwaite's (1946) rule.
    """
    index = cluster_index(terms)
    strata = _strata(index)
    added = np.zeros(len(index))
    size = 0.0
    for term in terms:
        sums, counts = cluster_sums(term, index)
        added += term.weight * (sums - term.mean * counts) / counts.sum()
        size += abs(term.weight) * max(map(abs, term.values))
    parts = [(float(np.var(added[each], ddof=1)) * len(each), len(each) - 1) for each in strata if len(each) > 1]
    variance = math.fsum(part for part, _ in parts)
    if variance <= (_ROUNDING * size) ** 2:
        few = len(index) < SMALLEST_SAMPLE
        return Spread(0.0, max(1.0, float(len(index) - len(strata))) if few else math.inf)
    return Spread(variance, 1 / math.fsum((part / variance) ** 2 / freedom for part, freedom in parts))


def cluster_index(terms: Sequence[Term]) -> dict[Cluster, int]:
    """Return a number for each cluster; sorted, so that the order of the rows changes no interval."""
    return {cluster: at for at, cluster in enumerate(sorted({each for term in terms for each in term.clusters}))}


def _strata(index: dict[Cluster, int]) -> list[npt.NDArray[np.intp]]:
    names = sorted({stratum for stratum, _ in index})
    return [np.array([at for (stratum, _), at in index.items() if stratum == name], np.intp) for name in names]


def cluster_sums(term: Term, index: dict[Cluster, int]) -> tuple[Floats, Floats]:
    """Return the sum and the number of a term's rows in each cluster."""
    at = np.array([index[cluster] for cluster in term.clusters], np.intp)
    values = np.asarray(term.values, np.float64)
    sums, counts = np.bincount(at, values, len(index)), np.bincount(at, minlength=len(index))
    return sums.astype(np.float64), counts.astype(np.float64)


def blocks(resamples: int, clusters: int) -> Iterator[int]:
    """Yield how many resamples to draw at a time, so that memory stays bounded."""
    step = max(1, min(resamples, _BLOCK // max(1, clusters)))
    for start in range(0, resamples, step):
        yield min(step, resamples - start)
