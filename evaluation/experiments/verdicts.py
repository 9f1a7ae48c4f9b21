"""What the scores of a sweep mean: each configuration against the one that leads, told apart from chance or not.

The leader was itself chosen by its score, so a difference to it is one of all differences between two configurations:
Holm's steps (1979) count all pairs of those that are left. With one pair that is the plain p-value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeVar

from evaluation.statistics.intervals import Term, Z
from evaluation.statistics.paired import SIGNIFICANT, Difference, contributions, paired_difference

BEST, EQUIVALENT, SAME, WORSE, IDENTICAL = "best", "equivalent", "not distinguishable", "worse", "identical"
POWER = 0.8
"""Chance with which a difference of the smallest size that is named would be found."""
_NOTHING = 1e-12

Key = TypeVar("Key")
Against = Callable[[Key], Sequence[Term] | None]
"""Paired differences of a configuration to the leader, as terms; None where they have no question in common."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A configuration against the leader, in the unit of the score; None where there is nothing to compare.

    `p`: of no difference; `p_holm`: the same, corrected for the configurations compared. `clusters`: twin pairs and
    single questions. `smallest`: the smallest difference that they can show. `more_pairs`: about how many more would
    tell a difference of this size from none, or from one that matters; None where the word is said already.
    """

    word: str
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    clusters: int = 0
    smallest: float | None = None
    more_pairs: int | None = None


def leader_of(means: Mapping[Key, float]) -> Key:
    """Return the configuration with the highest mean, of equal ones the first. Raises ValueError without any."""
    if not means:
        raise ValueError("there is no score to lead by")
    return max(means, key=lambda key: means[key])


def verdicts(
    means: Mapping[Key, float], against_leader: Against[Key], delta: float, looks: int = 1
) -> dict[Key, Standing]:
    """Return the verdict on each configuration. `delta`: the difference that does not matter, in the score's unit.

    Differences are those to the leader, configuration − leader, higher is better. `looks`: how often a race looked at
    the scores, each of which could have ended it.
    """
    leader = leader_of(means)
    terms = {key: against_leader(key) for key in means if key != leader}
    found = {key: paired_difference(each) for key, each in terms.items() if each}
    exact = {key: min(1.0, looks * _p(found[key], terms[key] or ())) for key in found}
    corrected = holm_of_pairs(exact)
    level = SIGNIFICANT / (looks * max(1, len(means) * (len(means) - 1) / 2))
    result = {leader: Standing(BEST)}
    for key in terms:
        if key not in found:
            result[key] = Standing("")
            continue
        still = all(abs(value) < _NOTHING for term in terms[key] or () for value in term.values)
        result[key] = _verdict(found[key], exact[key], corrected[key], delta, level, still=still)
    return {key: result[key] for key in means}


def _p(found: Difference, terms: Sequence[Term]) -> float:
    return min(found.p, tail_bound([float(each) for each in contributions(terms)]))


def tail_bound(changes: Sequence[float]) -> float:
    """Return an upper bound of the sign-flip p-value (Hoeffding 1963): random signs tell nothing below 1 in 10,000.

    2 exp(−z² / 2) with z = |Σ changes| / √Σ changes²; 1 where nothing changed.
    """
    squares = math.fsum(change * change for change in changes)
    return min(1.0, 2 * math.exp(-(math.fsum(changes) ** 2) / (2 * squares))) if squares > 0 else 1.0


def holm_of_pairs(p: Mapping[Key, float]) -> dict[Key, float]:
    """Return p-values of differences to a leader that was chosen by its score, corrected step by step.

    With `left` configurations not yet told apart, the leader among them, the smallest p of those left counts for all
    left · (left − 1) / 2 pairs; none is smaller than the one before it.
    """
    corrected: dict[Key, float] = {}
    before = 0.0
    for apart, key in enumerate(sorted(p, key=lambda key: p[key])):
        left = len(p) + 1 - apart
        before = max(before, min(1.0, p[key] * left * (left - 1) / 2))
        corrected[key] = before
    return corrected


def _verdict(found: Difference, p: float, p_holm: float, delta: float, level: float, *, still: bool) -> Standing:
    half = (found.high - found.low) / 2
    word = SAME
    if still:
        word = IDENTICAL
    elif found.low > -delta and found.high < delta:
        word = EQUIVALENT
    elif p_holm < SIGNIFICANT and found.high < 0:
        word = WORSE
    smallest = smallest_shown(half, level)
    more = more_pairs(found.mean, half, smallest, delta, found.clusters) if word == SAME else None
    return Standing(word, found.mean, found.low, found.high, p, p_holm, found.clusters, smallest, more)


def smallest_shown(half: float, level: float = SIGNIFICANT) -> float:
    """Return the smallest true difference that would be found at a level of p with a chance of `POWER`.

    `half`: half the width of the 95 % interval, Z standard errors. The difference must be so many of them away from 0
    as the quantiles of level and power say.
    """
    normal = NormalDist()
    return half / Z * (normal.inv_cdf(1 - level / 2) + normal.inv_cdf(POWER))


def more_pairs(mean: float, half: float, smallest: float, delta: float, pairs: int) -> int | None:
    """Return about how many more pairs would decide: by showing the difference, or that it is smaller than `delta`.

    What they can show, and the interval, shrink with the root of their number. None where neither would ever (the
    difference is δ itself).
    """
    times = [(smallest / abs(mean)) ** 2] if mean else []
    if delta > abs(mean):
        times.append((half / (delta - abs(mean))) ** 2)
    return max(1, math.ceil(pairs * min(times)) - pairs) if times else None
