"""Paired differences: interval, p-value and verdict are one test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.statistics.intervals import Term
from evaluation.statistics.paired import contributions, holm, paired_difference


def differences(values, clusters=None, weight=1.0, stratum="answerable"):
    names = range(len(values)) if clusters is None else clusters
    return Term(list(values), [(stratum, str(name)) for name in names], weight, low=-1.0)


def test_interval_and_p_worked_by_hand():
    # Mean 0.1, deviations 0.1 · (1, −1, 3, −3, 2, −2, 0, 0): squares 0.28, standard error √(0.28 / 7 / 8) = 0.0707107.
    # t = √2 with 7 degrees of freedom: p = 0.200200; the 97.5 % quantile is 2.364624.
    found = paired_difference([differences([0.2, 0.0, 0.4, -0.2, 0.3, -0.1, 0.1, 0.1])])
    assert (found.mean, found.p) == pytest.approx((0.1, 0.200200), abs=1e-6)
    half = 2.364624 * 0.0707107
    assert (found.low, found.high) == pytest.approx((0.1 - half, 0.1 + half), abs=1e-6)
    assert found.verdict == "not distinguishable"


@pytest.mark.parametrize("n, seed", [(8, 1), (20, 2), (300, 3)])
def test_single_questions_get_scipys_t_test(n, seed):
    from scipy import stats as scipy_stats

    values = np.random.default_rng(seed).uniform(-0.6, 0.8, n)
    expected = scipy_stats.ttest_1samp(values, 0)
    interval = expected.confidence_interval()
    found = paired_difference([differences(values)])
    assert (found.low, found.high, found.p) == pytest.approx((interval.low, interval.high, expected.pvalue), abs=1e-7)


def test_nothing_changed():
    found = paired_difference([differences([0.0] * 30)])
    q = 1.959964**2 / (30 + 1.959964**2)
    assert (found.mean, found.p, found.verdict) == (0, 1, "not distinguishable")
    assert (found.low, found.high) == pytest.approx((-q, q), abs=1e-6)


def test_equal_changes_are_told_by_what_was_never_seen():
    # All 8 questions changed by 1: the interval reaches 0 where 2 q = 1, so z² = n = 8: p = 0.004678.
    found = paired_difference([differences([1.0] * 8)])
    assert (found.p, found.verdict) == (pytest.approx(math.erfc(2)), "better")
    q = 1.959964**2 / (8 + 1.959964**2)
    assert (found.low, found.high) == pytest.approx((1 - 2 * q, 1), abs=1e-6)


def test_a_gain_on_most_questions_is_better_and_a_loss_worse():
    values = [0.5] * 9 + [0.0] * 20 + [0.2] * 3
    assert paired_difference([differences(values)]).verdict == "better"
    assert paired_difference([differences([-value for value in values])]).verdict == "worse"
    assert paired_difference([differences(values)], higher_is_better=False).verdict == "worse"


def test_terms_that_cancel_in_every_pair_are_not_certain():
    # What recall won, robustness lost, in each of 12 pairs: no variance of the sum, yet the next pair may differ.
    won = [1.0, 0.0, -0.5] * 4
    found = paired_difference([differences(won), differences([-value for value in won])])
    # Both terms: share q = z² / (12 + z²) of values never seen, at most 1 ∓ the mean (±1/6) away; joined as √(a² + b²).
    q = 1.959964**2 / (12 + 1.959964**2)
    half = q * math.hypot(1 + 1 / 6, 1 - 1 / 6)
    assert found.mean == pytest.approx(0)
    assert (found.low, found.high) == pytest.approx((-half, half), abs=1e-6)
    assert (found.p, found.verdict) == (1, "not distinguishable")


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=5))
def test_five_pairs_can_never_tell(values):
    assert paired_difference([differences(values)]).verdict == "not distinguishable"


def test_a_twin_pair_changes_as_one():
    values = [1.0] * 8
    alone = paired_difference([differences(values)])
    twins = paired_difference([differences(values, [0, 0, 1, 1, 2, 2, 3, 3])])
    assert (alone.clusters, alone.verdict) == (8, "better")
    assert (twins.clusters, twins.verdict) == (4, "not distinguishable")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 6)), min_size=1, max_size=30))
def test_any_difference_has_an_interval_and_a_p_value(data):
    found = paired_difference([differences([value for value, _ in data], [cluster for _, cluster in data])])
    assert -1 <= found.low <= found.mean <= found.high <= 1
    assert 0 < found.p <= 1
    assert (found.p < 0.05) == (found.verdict != "not distinguishable") == (not found.low <= 0 <= found.high)


def test_runs_that_are_alike_are_seldom_called_different():
    rng = np.random.default_rng(11)
    called = 0
    for _ in range(200):
        values = rng.choice([-1, -0.5, 0, 0.5, 1], p=[0.1, 0.1, 0.6, 0.1, 0.1], size=30)
        called += paired_difference([differences(values)]).verdict != "not distinguishable"
    assert called / 200 <= 0.08


def test_holm_corrects_the_smallest_most():
    # Sorted 0.01, 0.02, 0.03, 0.04: times 4, 3, 2, 1, none below one before it.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_contributions_add_up_to_the_difference():
    terms = [differences([0.5, -0.25, 0.0], [0, 0, 1], 0.5), differences([1.0, 1.0], [0, 1], 0.5, "out_of_scope")]
    assert math.fsum(contributions(terms)) == pytest.approx(0.5 * 0.25 / 3 + 0.5)
