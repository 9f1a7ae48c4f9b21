"""Student's t distribution (1908): tail and quantile, for degrees of freedom that need not be whole, or infinite."""

from __future__ import annotations

import math
from functools import lru_cache

_STEPS = 300
_EXACT = 1e-15
_TINY = 1e-300


@lru_cache(maxsize=4096)
def quantile(level: float, freedom: float) -> float:
    """Return how far from 0 a share `level` of the distribution lies to either side. `level` is in [0, 1)."""
    low, high = 0.0, 2.0
    while two_sided(high, freedom) > 1 - level:
        low, high = high, 2 * high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if two_sided(middle, freedom) > 1 - level else (low, middle)
    return high


def two_sided(t: float, freedom: float) -> float:
    """Return the share of the distribution that lies further from 0 than `t`: I_x(ν/2, ½) with x = ν / (ν + t²).

    With infinitely many degrees of freedom it is the normal one.
    """
    if math.isinf(freedom):
        return math.erfc(t / math.sqrt(2))
    return 1.0 if t == 0 else _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function (Abramowitz and Stegun 1964, 26.5.8)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_front) / (a * _continued_fraction(x, a, b))


def _continued_fraction(x: float, a: float, b: float) -> float:
    """Return 1 + d₁/(1 + d₂/(1 + …)) by Lentz's method (Thompson and Barnett 1986)."""
    value, upper, lower = 1.0, 1.0, 0.0
    for step in range(1, _STEPS):
        m = step // 2
        if step % 2:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        lower = 1 / ((1 + d * lower) or _TINY)
        upper = (1 + d / upper) or _TINY
        value *= upper * lower
        if abs(upper * lower - 1) < _EXACT:
            break
    return value
