"""Student's t: against a printed table and scipy, and by what must hold."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics.student import quantile, two_sided


@pytest.mark.parametrize(
    "level, freedom, t",
    [(0.95, 1, 12.7062), (0.95, 4, 2.7764), (0.95, 19, 2.0930), (0.99, 29, 2.7564), (0.95, math.inf, 1.95996)],
)
def test_the_quantiles_of_the_printed_tables(level, freedom, t):
    assert quantile(level, freedom) == pytest.approx(t, abs=5e-5)


@given(st.floats(0, 40), st.floats(1, 2000))
def test_the_tail_agrees_with_scipy(t, freedom):
    from scipy import stats as scipy_stats

    assert two_sided(t, freedom) == pytest.approx(2 * scipy_stats.t.sf(t, freedom), rel=1e-6, abs=1e-12)


@given(st.floats(0.01, 0.999), st.floats(1, 500))
def test_the_tail_at_a_quantile_is_what_the_level_leaves(level, freedom):
    assert two_sided(quantile(level, freedom), freedom) == pytest.approx(1 - level, abs=1e-9)


def test_nothing_is_nearer_than_nothing():
    assert (quantile(0.0, 5.0), two_sided(0.0, 5.0)) == (pytest.approx(0, abs=1e-9), 1.0)
