"""Racing: all configurations answer the same pairs, block by block; who is clearly behind the leader is let go.

A paired test against the leader decides, its p-value multiplied by the number of looks (Bonferroni), and never before
`FIRST_LOOK` pairs. The pairs come in an order of which every beginning is as mixed as the whole.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

from evaluation.experiments.verdicts import leader_of
from evaluation.statistics.intervals import Floats
from evaluation.statistics.paired import SIGNIFICANT
from evaluation.statistics.sign_flip import sign_flip_p

FIRST_LOOK = 20
"""Pairs before which nobody is let go: fewer are a matter of luck."""
_GROWTH = 1.5

Key = TypeVar("Key", bound=Hashable)
Pair = TypeVar("Pair")


def looks(pairs: int) -> list[int]:
    """Return after how many pairs the race is looked at: 20, then half as many again each time; the last is all.

    Looks that come later are worth more pairs: their number, which the test is corrected for, stays small.
    """
    found: list[int] = []
    at = float(FIRST_LOOK)
    while at * 1.25 < pairs:
        found.append(round(at))
        at *= _GROWTH
    return [*found, pairs]


def mixed_order(strata: Mapping[Pair, Hashable], seed: int = 0) -> list[Pair]:
    """Return the pairs shuffled so that each stratum (a document and a kind) is spread evenly over the order.

    The members of a stratum of n stand at (i + u) / n with one random u: every beginning holds its share of each, give
    or take one. The same seed gives the same order.
    """
    rng = random.Random(seed)
    groups: dict[Hashable, list[Pair]] = {}
    for pair, stratum in strata.items():
        groups.setdefault(stratum, []).append(pair)
    places: list[tuple[float, int, Pair]] = []
    for members in groups.values():
        rng.shuffle(members)
        start = rng.random()
        places += [((number + start) / len(members), len(places) + number, each) for number, each in enumerate(members)]
    return [pair for _, _, pair in sorted(places, key=lambda place: place[:2])]


def dropped(
    means: Mapping[Key, float], changes: Callable[[Key, Key], Floats | None], planned_looks: int
) -> dict[Key, float]:
    """Return the configurations to let go, each with its corrected p-value.

    `changes(leader, other)`: what each pair adds to other − leader, None where they have no question in common.
    `planned_looks`: how often the race is looked at in all.
    """
    leader = leader_of(means)
    found: dict[Key, float] = {}
    for key in means:
        change = None if key == leader else changes(leader, key)
        if change is None or len(change) < FIRST_LOOK or float(change.sum()) >= 0:
            continue
        p = sign_flip_p(change) * planned_looks
        if p < SIGNIFICANT:
            found[key] = p
    return found
