"""Intervals for means of scores: Wilson, and a clustered BCa bootstrap that is never falsely certain.

A mean is estimated from `Term`s. One term is a plain mean; several with weights are a sum of means that share their
resamples (knowledge bounding: two rates with weight 1/2; the total: five scores). Rows come in clusters (a simple
question with its twin), which are drawn whole, within strata (answerable, out-of-scope) whose sizes the test set fixes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Cluster = tuple[str, str]
"""(stratum, id)."""

LEVEL = 0.95
RESAMPLES = 4000
SMALLEST_SAMPLE = 5
"""Below this many clusters the bootstrap knows too few values to be trusted (see `Term.unseen`)."""

_NORMAL = NormalDist()
Z = _NORMAL.inv_cdf(0.5 + LEVEL / 2)
"""Standard deviations from the middle of a normal distribution to either end of its `LEVEL`."""
_BLOCK = 4_000_000  # drawn numbers held at once
_NEAR = 1 << 15  # drawn numbers counted at once: as many as stay in the processor's cache


@dataclass(frozen=True)
class Term:
    """Scored rows whose mean, times `weight`, is one summand. `low` and `high` bound every value."""

    values: Sequence[float]
    clusters: Sequence[Cluster]
    weight: float = 1.0
    low: float = 0.0
    high: float = 1.0

    @property
    def mean(self) -> float:
        """Mean over rows."""
        return math.fsum(self.values) / len(self.values)

    @property
    def cluster_count(self) -> int:
        """Number of clusters that have a row."""
        return len(set(self.clusters))

    @property
    def constant(self) -> bool:
        """True when all rows have the same value, so that resampling would show no uncertainty."""
        return max(self.values) - min(self.values) < 1e-9

    @property
    def binary(self) -> bool:
        """True when every value is 0 or 1."""
        return self.low == 0 and self.high == 1 and all(value in (0, 1) for value in self.values)

    def unseen(self) -> tuple[float, float]:
        """Return how far the mean may lie below and above the sampled one because of values never seen.

        With n clusters all alike, at most a share q of the others differs (Wilson's upper bound for 0 of n,
        q = z² / (n + z²); the exact form of the "rule of three", Hanley and Lippman-Hand 1983), and those differ at
        most up to the ends of the range. For values that are all 1 this is Wilson's interval for n of n. Where the
        range has no end (seconds, tokens), by as much as the mean itself or the spread of what was sampled.
        """
        share = Z**2 / (self.cluster_count + Z**2)
        usual = max(abs(self.mean), max(self.values) - min(self.values))
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


def wilson(successes: float, n: float) -> tuple[float, float]:
    """Return Wilson's score interval for a share (Wilson 1927). `n` may be an effective sample size."""
    share = successes / n
    centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
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


def estimate(terms: Sequence[Term], *, seed: int = 0, resamples: int = RESAMPLES) -> Estimate:
    """Return the weighted sum of the terms' means with its 95 % interval; several such sums: `estimate_all`."""
    return estimate_all([terms], seed=seed, resamples=resamples)[0]


def estimate_all(statistics: Sequence[Sequence[Term]], *, seed: int = 0, resamples: int = RESAMPLES) -> list[Estimate]:
    """Return each weighted sum of means with its 95 % interval; those over as many clusters share their resamples.

    A single term of 0/1 values: Wilson. Else BCa (Efron 1987) over clusters. What the bootstrap cannot see, because a
    term's values are all equal or its clusters too few, is added as in `Term.unseen`, the terms taken as independent
    (MOVER, Zou and Donner 2008). Each term needs at least one row.
    """
    resampled = [terms for terms in statistics if not _is_share(terms)]
    drawn = iter(bootstraps(resampled, seed=seed, resamples=resamples))
    return [_wilson(terms[0]) if _is_share(terms) else _bounded(terms, next(drawn)) for terms in statistics]


def _is_share(terms: Sequence[Term]) -> bool:
    return len(terms) == 1 and terms[0].weight == 1 and terms[0].binary


def _wilson(term: Term) -> Estimate:
    size = effective_size(term)
    low, high = wilson(term.mean * size, size)
    return Estimate(term.mean, min(low, term.mean), max(high, term.mean), "Wilson")


def _bounded(terms: Sequence[Term], drawn: tuple[float, float] | None) -> Estimate:
    """Return the estimate from what the bootstrap found, within the range that the values have."""
    mean = math.fsum(term.weight * term.mean for term in terms)
    bounds = (
        math.fsum(min(term.weight * term.low, term.weight * term.high) for term in terms),
        math.fsum(max(term.weight * term.low, term.weight * term.high) for term in terms),
    )
    low, high = (mean, mean) if drawn is None else drawn
    blind = [term for term in terms if term.weight and (term.constant or term.cluster_count < SMALLEST_SAMPLE)]
    low, high = _widen(mean, low, high, blind)
    return Estimate(
        mean, max(bounds[0], min(low, mean)), min(bounds[1], max(high, mean)), _method(drawn is not None, bool(blind))
    )


def _method(drawn: bool, blind: bool) -> str:
    if not drawn:
        return "Wilson bound on unseen values"
    return "BCa bootstrap over pairs" + (", widened for values never seen" if blind else "")


def _widen(mean: float, low: float, high: float, blind: Sequence[Term]) -> tuple[float, float]:
    below, above = (mean - low) ** 2, (high - mean) ** 2
    for term in blind:
        down, up = (abs(term.weight) * width for width in term.unseen())
        below, above = below + down**2, above + up**2
    return mean - math.sqrt(below), mean + math.sqrt(above)


def bootstraps(
    statistics: Sequence[Sequence[Term]], *, seed: int = 0, resamples: int = RESAMPLES
) -> list[tuple[float, float] | None]:
    """Return the BCa interval of each weighted sum of means; None where resampling changes nothing.

    How often each cluster is drawn depends on nothing but the seed and the sizes of the strata: drawing takes longest,
    so that it is done once for all statistics whose sizes are the same.
    """
    columns = [_Column.of(terms) for terms in statistics]
    alike: dict[tuple[int, ...], list[int]] = {}
    for place, column in enumerate(columns):
        alike.setdefault(tuple(len(members) for members in column.strata), []).append(place)
    found: list[tuple[float, float] | None] = [None] * len(columns)
    for sizes, places in alike.items():
        chosen = [columns[place] for place in places]
        for place, replicates in zip(places, _replicates(chosen, sizes, seed, resamples), strict=True):
            found[place] = columns[place].interval(replicates)
    return found


@dataclass(frozen=True)
class _Column:
    """A statistic ready to be resampled: `sums` and `counts` of rows, (term, cluster), and each stratum's clusters."""

    sums: Floats
    counts: Floats
    weights: Floats
    strata: list[npt.NDArray[np.intp]]

    @classmethod
    def of(cls, terms: Sequence[Term]) -> _Column:
        index = cluster_index(terms)
        sums, counts = (np.stack(rows) for rows in zip(*(cluster_sums(term, index) for term in terms), strict=True))
        return cls(sums, counts, np.array([term.weight for term in terms]), _strata(index))

    def resampled(self, times: Sequence[Floats]) -> Floats:
        """Return the statistic of each resample; a term that has no row in it keeps its observed mean.

        `times[i]`, (resample, cluster): how often each cluster of stratum i is drawn.
        """
        sums = np.zeros((len(times[0]), len(self.sums)))
        counts = np.zeros_like(sums)
        for members, drawn in zip(self.strata, times, strict=True):
            sums += drawn @ self.sums[:, members].T
            rows = self.counts[:, members]
            # A row a cluster: as many rows as clusters are drawn, whichever they are.
            counts += len(members) if bool((rows == 1).all()) else drawn @ rows.T
        present = counts > 0
        means = np.where(present, sums / np.where(present, counts, 1), self.sums.sum(axis=1) / self.counts.sum(axis=1))
        return np.asarray(means @ self.weights)

    def interval(self, replicates: Floats) -> tuple[float, float] | None:
        """Return the BCa interval; None where all replicates are the same."""
        if np.ptp(replicates) < 1e-12:
            return None
        observed = float(self.weights @ (self.sums.sum(axis=1) / self.counts.sum(axis=1)))
        bias = _bias(replicates, observed)
        acceleration = _acceleration(self.sums, self.counts, self.weights, self.strata)
        low, high = (_adjusted(bias, acceleration, tail) for tail in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
        return float(np.quantile(replicates, low)), float(np.quantile(replicates, high))


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


def _replicates(columns: Sequence[_Column], sizes: Sequence[int], seed: int, resamples: int) -> list[Floats]:
    """Return the replicates of statistics whose strata have these sizes."""
    rng = np.random.default_rng(seed)
    results: list[list[Floats]] = [[] for _ in columns]
    for size in blocks(resamples, sum(sizes)):
        times = [_draw(rng, size, clusters) for clusters in sizes]
        for column, result in zip(columns, results, strict=True):
            result.append(column.resampled(times))
    return [np.concatenate(result) for result in results]


def _draw(rng: np.random.Generator, size: int, clusters: int) -> Floats:
    """Return how often each cluster is drawn, shape (size, clusters), each row adding up to `clusters`."""
    times = np.empty((size, clusters))
    step = max(1, _NEAR // clusters)
    offsets = np.arange(step)[:, None] * clusters
    for start in range(0, size, step):
        rows = times[start : start + step]
        chosen = rng.integers(0, clusters, size=rows.shape)
        chosen += offsets[: len(rows)]
        rows[:] = np.bincount(chosen.ravel(), minlength=rows.size).reshape(rows.shape)
    return times


def blocks(resamples: int, clusters: int) -> Iterator[int]:
    """Yield how many resamples to draw at a time, so that memory stays bounded."""
    step = max(1, min(resamples, _BLOCK // max(1, clusters)))
    for start in range(0, resamples, step):
        yield min(step, resamples - start)


def _bias(replicates: Floats, observed: float) -> float:
    near = 1e-12 * max(1.0, abs(observed))
    below = np.count_nonzero(replicates < observed - near)
    ties = np.count_nonzero(np.abs(replicates - observed) <= near)
    share = (below + ties / 2) / len(replicates)
    edge = 0.5 / len(replicates)
    return _NORMAL.inv_cdf(min(1 - edge, max(edge, share)))


def _acceleration(sums: Floats, counts: Floats, weights: Floats, strata: Sequence[npt.NDArray[np.intp]]) -> float:
    """Return BCa's acceleration from leaving out one cluster at a time, stratum by stratum."""
    totals, sizes = sums.sum(axis=1, keepdims=True), counts.sum(axis=1, keepdims=True)
    left = sizes - counts
    means = np.where(left > 0, (totals - sums) / np.where(left > 0, left, 1), totals / sizes)
    without = weights @ means
    cubes = squares = 0.0
    for members in strata:
        n = len(members)
        influence = (n - 1) * (without[members].mean() - without[members])
        cubes += float(np.sum(influence**3)) / n**3
        squares += float(np.sum(influence**2)) / n**2
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


def _adjusted(bias: float, acceleration: float, tail: float) -> float:
    shifted = bias + _NORMAL.inv_cdf(tail)
    scale = 1 - acceleration * shifted
    # A scale at or below 0 (extreme skew) sends the tail to its end.
    return _NORMAL.cdf(bias + shifted / scale) if scale > 0 else float(tail > 0.5)
