"""Which settings matter: the share of the variance between configurations that each explains, with its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.statistics.intervals import Floats

RESAMPLES = 1000
_LEVEL = (2.5, 97.5)
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Importance:
    """The share of a setting, 0..1, with its 95 % interval."""

    name: str
    share: float
    low: float
    high: float


def importance(swept: Sequence[Mapping[str, Any]], changes: Floats, *, seed: int = 0) -> list[Importance]:
    """Return each setting's share of the variance of the scores, the largest first; none where all score the same.

    `swept`: the values of each configuration. `changes[i, j]`: what pair j adds to the score of configuration i against
    a common one. A share is the variance of the means over each value of the setting, over the variance of all scores
    (the main effect of an analysis of variance); what is left is interplay and chance. Interval: percentiles over
    resampled pairs (Efron 1979).
    """
    if len(swept) < 2 or not swept[0]:
        return []
    scores = changes.sum(axis=1)
    if float(np.var(scores)) < _NOTHING:
        return []
    groups = {name: _groups([each[name] for each in swept]) for name in swept[0]}
    pairs = changes.shape[1]
    drawn = np.random.default_rng(seed).multinomial(pairs, np.full(pairs, 1 / pairs), RESAMPLES)
    resampled = drawn @ changes.T
    found = []
    for name, group in groups.items():
        low, high = np.percentile(_shares(resampled, group), _LEVEL)
        found.append(Importance(name, float(_shares(scores[None, :], group)[0]), float(low), float(high)))
    return sorted(found, key=lambda each: -each.share)


def _groups(values: Sequence[Any]) -> Floats:
    """Return a row for each value: which configurations have it, divided by how many these are."""
    kinds = sorted({str(value) for value in values})
    members = np.array([[str(value) == kind for value in values] for kind in kinds], np.float64)
    result: Floats = members
    return result


def _shares(scores: Floats, members: Floats) -> Floats:
    """Return the share that a grouping explains, for each row of scores."""
    sizes = members.sum(axis=1)
    means = scores @ members.T / sizes
    middle = scores.mean(axis=1, keepdims=True)
    explained = ((means - middle) ** 2 * sizes).sum(axis=1)
    whole = ((scores - middle) ** 2).sum(axis=1)
    shares: Floats = np.divide(explained, whole, out=np.zeros_like(whole), where=whole > _NOTHING)
    return shares
