"""Spearman's rank correlation of metrics with each other: which of them say the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.statistics.intervals import Floats, Z

FEWEST_ROWS = 10


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rank correlation of two metrics over the `n` rows that both scored; None with a `reason`."""

    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""

    @property
    def strength(self) -> float:
        """How strong it is, whatever its sign, from 0 to 1."""
        return abs(self.value or 0.0)

    @property
    def certain(self) -> bool:
        """True when its interval does not hold 0."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


def spearman(first: Floats, second: Floats) -> Correlation:
    """Return Spearman's rho: Pearson's correlation of the ranks, ties with their mean rank.

    NaN stands for a score that there is not. The interval is Fisher's z with the variance (1 + ρ²/2) / (n − 3)
    (Bonett and Wright 2000); it takes rows as independent.
    """
    both = np.isfinite(first) & np.isfinite(second)
    n = int(both.sum())
    if n < FEWEST_ROWS:
        return Correlation(n, reason=f"{n} answers have both; {FEWEST_ROWS} are needed")
    ranks = [average_ranks(values[both]) for values in (first, second)]
    if any(np.ptp(each) == 0 for each in ranks):
        return Correlation(n, reason="one of the two is the same for all of them")
    value = float(np.clip(np.corrcoef(ranks[0], ranks[1])[0, 1], -1, 1))
    if abs(value) > 1 - 1e-12:
        return Correlation(n, math.copysign(1.0, value), math.copysign(1.0, value), math.copysign(1.0, value))
    reach = Z * math.sqrt((1 + value**2 / 2) / (n - 3))
    low, high = (math.tanh(math.atanh(value) + side * reach) for side in (-1, 1))
    return Correlation(n, value, low, high)


def average_ranks(values: Floats) -> Floats:
    """Return the rank of each value from 1 on; equal values share the mean of their ranks."""
    _, level, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means: Floats = ends - (counts - 1) / 2
    return means[level]


def correlations(columns: Sequence[Floats]) -> list[list[Correlation]]:
    """Return the correlations of all columns with each other, as a symmetric table."""
    table = [[Correlation(0)] * len(columns) for _ in columns]
    for row, first in enumerate(columns):
        for place in range(row, len(columns)):
            table[row][place] = table[place][row] = spearman(first, columns[place])
    return table
