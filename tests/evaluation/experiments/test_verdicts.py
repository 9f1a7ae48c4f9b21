"""Verdicts on the configurations of a sweep: hand-worked corrections, and error rates over simulated sweeps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evaluation.experiments.verdicts import (
    BEST,
    EQUIVALENT,
    IDENTICAL,
    SAME,
    WORSE,
    holm_of_pairs,
    leader_of,
    more_pairs,
    smallest_shown,
    tail_bound,
    verdicts,
)
from evaluation.statistics.intervals import Term


def term(changes) -> list[Term]:
    values = [float(each) for each in changes]
    return [Term(values, [("answerable", f"p{number:03}") for number in range(len(values))], low=-1, high=1)]


def judged(changes: dict[str, list[float]], delta: float = 0.02, looks: int = 1):
    """`changes[key]`: differences to the leader `a`."""
    means = {"a": 0.8} | {key: 0.8 + float(np.mean(each)) - 1e-9 for key, each in changes.items()}
    return verdicts(means, lambda key: term(changes[key]), delta, looks)


def test_the_highest_mean_leads_and_of_equal_ones_the_first():
    assert leader_of({"a": 0.5, "b": 0.7, "c": 0.7}) == "b"
    with pytest.raises(ValueError, match="no score"):
        leader_of({})


def test_holm_counts_the_pairs_of_those_that_are_left():
    """Four configurations, one leading: 6 pairs, then 3, then 1. 0.004·6, 0.01·3 = 0.03, 0.02·1 is raised to 0.03."""
    corrected = holm_of_pairs({"b": 0.02, "c": 0.004, "d": 0.01})
    assert corrected == pytest.approx({"c": 0.024, "d": 0.03, "b": 0.03})


def test_of_two_configurations_the_p_value_stays_what_it_is():
    assert holm_of_pairs({"b": 0.04}) == {"b": 0.04}
    assert holm_of_pairs({"b": 0.6, "c": 0.9}) == {"b": 1.0, "c": 1.0}  # 3 · 0.6, and never smaller after it


def test_the_tail_is_bounded_by_hoeffding():
    """30 equal changes: z² = 30, so 2 exp(−15) = 6.1e-7; the exact sign-flip p is 2 / 2^30 = 1.9e-9."""
    assert tail_bound([0.5] * 30) == pytest.approx(2 * math.exp(-15))
    assert tail_bound([0.5] * 30) > 2 / 2**30
    assert tail_bound([0.0, 0.0]) == 1.0
    assert tail_bound([1.0]) == 1.0  # 2 exp(−1/2) = 1.21


def test_the_words():
    rng = np.random.default_rng(1)
    found = judged(
        {
            "same": [0.0] * 60,
            "near": list(rng.normal(0, 0.005, 60)),
            "worse": list(rng.normal(-0.3, 0.2, 60)),
            "noisy": list(rng.normal(-0.03, 0.3, 60)),
        }
    )
    words = {key: each.word for key, each in found.items()}
    assert words == {"a": BEST, "same": IDENTICAL, "near": EQUIVALENT, "worse": WORSE, "noisy": SAME}
    assert found["noisy"].more_pairs > 0
    assert found["worse"].more_pairs is None
    assert found["noisy"].clusters == 60


def test_what_cannot_be_compared_has_no_word():
    found = verdicts({"a": 0.5, "b": 0.4}, lambda key: None, 0.02)
    assert [found["a"].word, found["b"].word] == [BEST, ""]


def test_looks_of_a_race_are_paid_for():
    changes = {"b": list(np.random.default_rng(3).normal(-0.15, 0.3, 40))}
    once, often = judged(changes)["b"], judged(changes, looks=40)["b"]
    assert once.word == WORSE
    assert often.word == SAME
    assert often.p == pytest.approx(min(1.0, 40 * once.p))


def test_the_smallest_difference_and_the_pairs_that_are_missing():
    """Half-width 0.098 is a standard error of 0.05: 0.05 · (1.960 + 0.842) = 0.140.

    A difference of 0.07 needs half of it, so four times the pairs; one of 0 needs a half-width of δ instead.
    """
    half = 0.05 * 1.959964
    smallest = smallest_shown(half)
    assert smallest == pytest.approx(0.05 * (1.959964 + 0.841621), rel=1e-4)
    assert smallest_shown(half, 0.05 / 6) == pytest.approx(0.05 * (2.638257 + 0.841621), rel=1e-4)  # of four
    assert more_pairs(smallest / 2, half, smallest, 0.02, 100) == pytest.approx(300, abs=1)
    assert more_pairs(0.0, half, smallest, 0.02, 100) == math.ceil(100 * (half / 0.02) ** 2) - 100
    assert more_pairs(0.0, half, smallest, 0.0, 100) is None


@pytest.mark.parametrize("configurations", [2, 8])
def test_equal_configurations_are_seldom_called_different(configurations):
    """Family-wise: in at most 5 % of the sweeps (here of 200; 5 % and two standard errors are 8 %)."""
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(200):
        difficulty = rng.normal(0.6, 0.2, (40, 1))
        scores = np.clip(difficulty + rng.normal(0, 0.2, (40, configurations)), 0, 1)
        means = dict(enumerate(scores.mean(axis=0)))
        leader = leader_of(means)
        found = verdicts(means, lambda key, s=scores, at=leader: term(s[:, key] - s[:, at]), 0.02)
        wrong += any(each.word == WORSE for each in found.values())
    assert wrong <= 16


def test_a_real_difference_is_found():
    rng = np.random.default_rng(6)
    scores = np.clip(rng.normal(0.6, 0.15, (60, 1)) + rng.normal(0, 0.15, (60, 12)), 0, 1)
    scores[:, 1:] -= 0.2
    means = dict(enumerate(scores.mean(axis=0)))
    found = verdicts(means, lambda key: term(scores[:, key] - scores[:, 0]), 0.02)
    assert [each.word for each in found.values()] == [BEST] + [WORSE] * 11
