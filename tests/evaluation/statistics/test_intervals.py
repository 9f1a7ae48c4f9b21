"""Intervals: against numbers worked by hand, against scipy, and by what must hold for any data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.statistics.intervals import Term, effective_size, estimate, wilson

Z = 1.959963984540054
Q = Z**2  # q(n) = Q / (n + Q) bounds the share of values never seen


def term(values, clusters=None, stratum="answerable", **kwargs):
    names = range(len(values)) if clusters is None else clusters
    return Term(list(values), [(stratum, str(name)) for name in names], **kwargs)


@pytest.mark.parametrize(
    "successes, n, low, high",
    [(0, 10, 0, 0.277533), (10, 10, 0.722467, 1), (5, 10, 0.236593, 0.763407), (15, 20, 0.531299, 0.888138)],
)
def test_wilson_has_the_published_values(successes, n, low, high):
    assert wilson(successes, n) == pytest.approx((low, high), abs=1e-6)


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_scipy(counts):
    from scipy import stats as scipy_stats

    expected = scipy_stats.binomtest(*counts).proportion_ci(method="wilson")
    assert wilson(*counts) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_a_share_of_single_questions_is_wilsons():
    found = estimate([term([1] * 15 + [0] * 5)])
    assert (found.mean, found.low, found.high) == pytest.approx((0.75, 0.531299, 0.888138), abs=1e-6)
    assert found.method == "Wilson"


def test_twins_that_agree_count_once():
    both = term([1, 1] * 15 + [0, 0] * 5, [pair for pair in range(20) for _ in range(2)])
    assert effective_size(both) == pytest.approx(20)
    assert estimate([both]).low == pytest.approx(0.531299, abs=1e-6)


def test_twins_that_disagree_as_if_unrelated_count_twice():
    # Of each four pairs: both, neither, first, second: no correlation within pairs.
    values = [1, 1, 0, 0, 1, 0, 0, 1] * 5
    assert effective_size(term(values, [pair for pair in range(20) for _ in range(2)])) == pytest.approx(40)


def test_all_right_says_no_more_than_its_number_of_pairs():
    found = estimate([term([1.0] * 60, [pair for pair in range(30) for _ in range(2)])])
    assert (found.low, found.high) == pytest.approx((30 / (30 + Q), 1))
    assert wilson(30, 30)[0] == pytest.approx(30 / (30 + Q))


@pytest.mark.parametrize("value", [0.0, 0.4, 1.0])
def test_equal_values_never_have_zero_width(value):
    found = estimate([term([value] * 12)])
    q = Q / (12 + Q)
    assert (found.low, found.high) == pytest.approx((value - q * value, value + q * (1 - value)))
    assert found.high > found.low


def skewed(n=40, seed=3):
    return np.random.default_rng(seed).beta(5, 1.5, n)


def test_a_graded_mean_worked_by_hand():
    # Eight pairs: mean 0.5, deviations ±0.2 and ±0.4, their squares 4 · 0.04 + 4 · 0.16 = 0.8; variance of the mean
    # 0.8 / 7 / 8 = 1/70, so as sure as 0.25 · 70 = 17.5 yes-or-no rows. Student's t with 7 degrees: 2.364624.
    found = estimate([term([0.3, 0.7, 0.3, 0.7, 0.1, 0.9, 0.1, 0.9])])
    t = 2.364624
    half = math.sqrt(t**2 * 0.25 / 17.5 + t**4 / (4 * 17.5**2)) / (1 + t**2 / 17.5)
    assert (found.mean, found.low, found.high) == pytest.approx((0.5, 0.5 - half, 0.5 + half), abs=1e-6)
    assert found.method == "Wilson over pairs, with Student's t"


def test_without_an_end_of_the_range_it_is_students_t():
    from scipy import stats as scipy_stats

    values = 10 * skewed(15, 1)
    expected = scipy_stats.ttest_1samp(values, 0).confidence_interval()
    found = estimate([term(values, high=math.inf)])
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.method == "Student's t over pairs"


def test_two_strata_have_satterthwaites_degrees_of_freedom():
    from scipy import stats as scipy_stats

    first, second = skewed(30, 1), skewed(9, 2)
    expected = scipy_stats.ttest_ind(first, second, equal_var=False).confidence_interval()
    terms = [
        term(first, low=-math.inf, high=math.inf),
        term(second, stratum="out_of_scope", weight=-1.0, low=-math.inf, high=math.inf),
    ]
    found = estimate(terms)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_near_the_end_of_its_range_an_interval_reaches_further_inwards():
    found = estimate([term([1.0] * 17 + [0.9, 0.5, 0.0])])
    assert found.mean - found.low > 1.5 * (found.high - found.mean)


def test_repeating_every_row_in_its_pair_changes_nothing():
    values = skewed()
    once = estimate([term(values)])
    twice = estimate([term(np.repeat(values, 2), np.repeat(np.arange(40), 2))])
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high))


def test_pairs_widen_the_interval_of_correlated_rows():
    values = np.repeat(skewed(), 3)
    naive = estimate([term(values)])
    paired = estimate([term(values, np.repeat(np.arange(40), 3))])
    assert paired.high - paired.low == pytest.approx(math.sqrt(3) * (naive.high - naive.low), rel=0.1)


def test_the_sum_of_terms_keeps_their_correlation():
    values = skewed()
    opposite = estimate([term(values), term(1 - values)])  # adds up to 1 in every resample
    assert opposite.mean == pytest.approx(1)
    # No variance: what is left is the share q of values never seen, each term's widest reach, joined as √(a² + b²).
    q = 1.959964**2 / (40 + 1.959964**2)
    half = q * math.hypot(values.mean(), 1 - values.mean())
    assert (opposite.low, opposite.high) == pytest.approx((1 - half, 1 + half), abs=1e-6)
    same = estimate([term(values, weight=0.5), term(values, weight=0.5)])
    alone = estimate([term(values)])
    assert (same.low, same.high) == pytest.approx((alone.low, alone.high))


def test_a_term_whose_values_are_all_equal_still_adds_its_uncertainty():
    # Attempted 24 of 30, refused 10 of 10: the second rate adds half its own bound, squared (MOVER).
    attempted = [1.0] * 24 + [0.0] * 6
    found = estimate([term(attempted, weight=0.5), term([1.0] * 10, stratum="out_of_scope", weight=0.5)])
    # Mean 0.9; its variance 0.25 · (0.8 · 0.2 / 29) is that of 0.9 · 0.1 / variance yes-or-no rows; t with 29 degrees.
    low, high = wilson(0.9 * 65.25, 65.25, 2.045230)
    unseen = 0.5 * Q / (10 + Q)
    assert found.mean == pytest.approx(0.9)
    assert found.low == pytest.approx(0.9 - math.hypot(0.9 - low, unseen), abs=1e-6)
    assert found.high == pytest.approx(high, abs=1e-6)


def test_fewer_than_six_pairs_get_the_bound_on_unseen_values_too():
    found = estimate([term([0.6, 0.7])])
    q = Q / (2 + Q)
    assert found.low <= 0.65 * (1 - q)
    assert found.high >= 0.65 + 0.35 * q
    assert "widened" in found.method


def test_the_order_of_rows_changes_nothing():
    values, order = skewed(), np.random.default_rng(0).permutation(40)
    shuffled = estimate([term(values[order], order)])
    assert (shuffled.low, shuffled.high) == pytest.approx((estimate([term(values)]).low, estimate([term(values)]).high))


rows = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 8)), min_size=1, max_size=40)


@settings(max_examples=150, deadline=None)
@given(rows)
def test_the_interval_holds_the_mean_and_stays_in_range(data):
    found = estimate([term([value for value, _ in data], [cluster for _, cluster in data])])
    assert 0 <= found.low <= found.mean <= found.high <= 1
    assert found.high > found.low


@settings(max_examples=100, deadline=None)
@given(rows, rows, st.floats(0.1, 5))
def test_so_does_the_interval_of_a_sum(first, second, weight):
    terms = [
        term([value for value, _ in first], [cluster for _, cluster in first], weight=weight),
        term([value for value, _ in second], [cluster for _, cluster in second], "out_of_scope"),
    ]
    found = estimate(terms)
    assert 0 <= found.low <= found.mean <= found.high <= weight + 1


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=1, max_size=12))
def test_more_of_the_same_evidence_never_widens_a_constant(values):
    few, many = (estimate([term([values[0]] * n)]) for n in (len(values), len(values) + 5))
    assert many.high - many.low < few.high - few.low


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(7)
    truth = 0.05 * 0.25 + 0.05 * 0.5 + 0.1 * 0.75 + 0.6
    covered = 0
    for _ in range(300):
        values = rng.choice([0, 0.25, 0.5, 0.75, 1], p=[0.2, 0.05, 0.05, 0.1, 0.6], size=30)
        found = estimate([term(values)])
        covered += found.low <= truth <= found.high
    assert 0.91 <= covered / 300 <= 0.99


def test_equal_values_without_an_end_of_the_range_are_widened_by_the_mean():
    found = estimate([term([0.4] * 12, high=math.inf)])
    q = Q / (12 + Q)
    assert (found.low, found.high) == pytest.approx((0.4 - q * 0.4, 0.4 + q * 0.4))
    few = estimate([term([10.0, 30.0, 20.0], low=-math.inf, high=math.inf)])
    assert math.isfinite(few.low)
    assert math.isfinite(few.high)
