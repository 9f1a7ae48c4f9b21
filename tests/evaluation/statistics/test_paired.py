"""Paired differences: p-values worked by hand and by scipy, and the verdict."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.statistics.intervals import Term
from evaluation.statistics.paired import binomial_p, contributions, paired_difference, sign_flip_p


def differences(values, clusters=None, weight=1.0, stratum="answerable"):
    names = range(len(values)) if clusters is None else clusters
    return Term(list(values), [(stratum, str(name)) for name in names], weight, low=-1.0)


@pytest.mark.parametrize(
    "wins, n, p",
    [(0, 5, 2 / 32), (5, 5, 2 / 32), (1, 6, 14 / 64), (3, 6, 1), (2, 10, 2 * (1 + 10 + 45) / 1024)],
)
def test_mcnemar_counts_the_questions_that_changed(wins, n, p):
    assert binomial_p(wins, n) == pytest.approx(p)
    changes = np.array([1.0] * wins + [-1.0] * (n - wins) + [0.0] * 20)
    assert sign_flip_p(changes) == pytest.approx(p)


@given(st.integers(1, 1500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_binomial_test_agrees_with_scipy(counts):
    from scipy import stats as scipy_stats

    assert binomial_p(*counts) == pytest.approx(scipy_stats.binomtest(*counts).pvalue, abs=2e-3)


def test_few_changes_are_enumerated():
    # Sums of ±1 ±2 ±4 that reach 5 in size: 7, 5, −5, −7 of eight.
    assert sign_flip_p(np.array([1.0, 4.0, 2.0, 0.0]) * [-1, 1, 1, 1]) == pytest.approx(4 / 8)
    assert sign_flip_p(np.array([0.1, 0.2, 0.4])) == pytest.approx(2 / 8)


def test_it_agrees_with_scipys_permutation_test():
    from scipy import stats as scipy_stats

    values = np.random.default_rng(2).normal(0.15, 0.4, 12)
    expected = scipy_stats.permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert sign_flip_p(values) == pytest.approx(expected.pvalue)


def test_many_changes_are_sampled():
    from scipy import stats as scipy_stats

    values = np.random.default_rng(2).normal(0.1, 0.4, 60)
    assert sign_flip_p(values) == pytest.approx(scipy_stats.ttest_1samp(values, 0).pvalue, abs=0.02)


def test_nothing_changed():
    found = paired_difference([differences([0.0] * 30)])
    q = 1.959964**2 / (30 + 1.959964**2)
    assert (found.mean, found.p, found.verdict) == (0, 1, "not distinguishable")
    assert (found.low, found.high) == pytest.approx((-q, q), abs=1e-6)


def test_a_gain_on_most_questions_is_better_and_a_loss_worse():
    values = [0.5] * 9 + [0.0] * 20 + [0.2] * 3
    assert paired_difference([differences(values)]).verdict == "better"
    assert paired_difference([differences([-value for value in values])]).verdict == "worse"
    assert paired_difference([differences(values)], higher_is_better=False).verdict == "worse"


def test_five_pairs_can_never_tell():
    assert paired_difference([differences([1.0] * 5)]).verdict == "not distinguishable"


def test_a_twin_pair_changes_as_one():
    values = [1.0] * 8
    alone = paired_difference([differences(values)])
    twins = paired_difference([differences(values, [0, 0, 1, 1, 2, 2, 3, 3])])
    assert (alone.p, alone.verdict) == (pytest.approx(2 / 2**8), "better")
    assert (twins.p, twins.verdict) == (pytest.approx(2 / 2**4), "not distinguishable")


def test_contributions_add_up_to_the_difference():
    terms = [differences([0.5, -0.25, 0.0], [0, 0, 1], 0.5), differences([1.0, 1.0], [0, 1], 0.5, "out_of_scope")]
    assert math.fsum(contributions(terms)) == pytest.approx(0.5 * 0.25 / 3 + 0.5)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 6)), min_size=1, max_size=30))
def test_any_difference_has_an_interval_and_a_p_value(data):
    found = paired_difference([differences([value for value, _ in data], [cluster for _, cluster in data])])
    assert -1 <= found.low <= found.mean <= found.high <= 1
    assert 0 < found.p <= 1
    assert found.verdict in ("better", "worse", "not distinguishable")


def test_runs_that_are_alike_are_seldom_called_different():
    rng = np.random.default_rng(11)
    called = 0
    for seed in range(200):
        values = rng.choice([-1, -0.5, 0, 0.5, 1], p=[0.1, 0.1, 0.6, 0.1, 0.1], size=30)
        called += paired_difference([differences(values)], seed=seed).verdict != "not distinguishable"
    assert called / 200 <= 0.08
