"""The test by flipped signs, beside scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics.sign_flip import binomial_p, sign_flip_p


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
