"""A paired test without an assumption on how differences are distributed: their signs are flipped."""

from __future__ import annotations

import math

import numpy as np

from evaluation.statistics.intervals import Floats, blocks

EXACT_UP_TO = 14
"""Clusters up to which all sign patterns are counted."""
SHUFFLES = 10_000
"""Random sign patterns where there are more."""


def sign_flip_p(changes: Floats, *, seed: int = 0) -> float:
    """Return the two-sided p-value that the clusters' changes are as often up as down.

    Equal sizes of change: the exact binomial test, which for single 0/1 answers is McNemar's (1947). Few clusters: all
    sign patterns (Fisher's randomisation test); many: random ones, the observed one counted (Phipson and Smyth 2010).
    """
    sizes = np.abs(changes)
    changed = changes[sizes > 1e-12 * max(1.0, float(sizes.max(initial=0.0)))]
    if not len(changed):
        return 1.0
    if np.ptp(np.abs(changed)) < 1e-9 * float(np.abs(changed).max()):
        return binomial_p(int(np.count_nonzero(changed > 0)), len(changed))
    observed = abs(math.fsum(changed)) * (1 - 1e-9)
    if len(changed) <= EXACT_UP_TO:
        patterns = np.arange(2 ** len(changed))[:, None] >> np.arange(len(changed))
        flipped = np.abs((1 - 2 * (patterns & 1)) @ changed)
        return float(np.mean(flipped >= observed))
    rng = np.random.default_rng(seed)
    reached = 0
    for size in blocks(SHUFFLES, len(changed)):
        signs = rng.integers(0, 2, size=(size, len(changed)), dtype=np.int8) * 2 - 1
        reached += int(np.count_nonzero(np.abs(signs @ changed) >= observed))
    return (reached + 1) / (SHUFFLES + 1)


def binomial_p(wins: int, n: int) -> float:
    """Return the exact two-sided p-value of `wins` of `n` under a fair coin."""
    tail = min(wins, n - wins)
    below = sum(math.comb(n, k) for k in range(tail + 1))
    return float(min(1.0, 2 * below / 2**n)) if n < 1000 else min(1.0, _normal_tail(tail, n))


def _normal_tail(tail: int, n: int) -> float:
    # math.comb stays exact but the division of huge integers is slow: the normal approximation with continuity.
    return math.erfc(max(0.0, (n / 2 - tail - 0.5) / math.sqrt(n / 4)) / math.sqrt(2))
