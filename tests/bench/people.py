"""How well values agree with people: AUROC, Pearson, Spearman, Kendall, with intervals over resampled questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from evaluation.statistics.roc import auroc, cluster_numbers

Floats = npt.NDArray[np.float64]
Statistic = Callable[[Floats, Floats], float]

RESAMPLES = 1000
_TAILS = (0.025, 0.975)


def area(values: Floats, truth: Floats) -> float:
    """Return the AUROC of values against a truth of 0 and 1; NaN where one of them is absent."""
    marks = truth > 0
    return auroc(values, marks) if marks.any() and not marks.all() else float("nan")


def pearson(values: Floats, truth: Floats) -> float:
    """Return Pearson's correlation, NaN where one side does not vary."""
    return float(np.corrcoef(values, truth)[0, 1]) if _vary(values, truth) else float("nan")


def spearman(values: Floats, truth: Floats) -> float:
    """Return Spearman's rank correlation, NaN where one side does not vary."""
    from scipy.stats import spearmanr

    return float(spearmanr(values, truth).statistic) if _vary(values, truth) else float("nan")


def kendall(values: Floats, truth: Floats) -> float:
    """Return Kendall's tau-b, NaN where one side does not vary."""
    from scipy.stats import kendalltau

    return float(kendalltau(values, truth).statistic) if _vary(values, truth) else float("nan")


def _vary(*sides: Floats) -> bool:
    return all(np.ptp(side) > 0 for side in sides)


def with_interval(
    statistic: Statistic, values: Floats, truth: Floats, clusters: Sequence[str], *, resamples: int = RESAMPLES
) -> tuple[float, float, float]:
    """Return the statistic with its 95 % interval: percentiles over resampled clusters."""
    drawn = _resampled(clusters, resamples)
    found = np.array([statistic(values[rows], truth[rows]) for rows in drawn])
    low, high = np.nanquantile(found, _TAILS)
    return statistic(values, truth), float(low), float(high)


def paired_difference(
    statistic: Statistic, one: Floats, other: Floats, truth: Floats, clusters: Sequence[str]
) -> tuple[float, float, float]:
    """Return by how much `one` agrees better than `other` on the same rows, with its 95 % interval."""
    drawn = _resampled(clusters, RESAMPLES)
    found = np.array([statistic(one[rows], truth[rows]) - statistic(other[rows], truth[rows]) for rows in drawn])
    low, high = np.nanquantile(found, _TAILS)
    return statistic(one, truth) - statistic(other, truth), float(low), float(high)


def _resampled(clusters: Sequence[str], resamples: int) -> list[npt.NDArray[np.intp]]:
    """Return the rows of each resample; whole clusters are drawn, with the same seed every time."""
    numbers = cluster_numbers(clusters)
    rows = [np.flatnonzero(numbers == number) for number in range(int(numbers.max()) + 1)]
    rng = np.random.default_rng(0)
    return [np.concatenate([rows[at] for at in rng.integers(0, len(rows), len(rows))]) for _ in range(resamples)]
