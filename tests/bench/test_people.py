"""Agreement with people: by hand, and that whole questions are drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.bench.people import area, kendall, paired_difference, pearson, spearman, with_interval

VALUES = np.array([0.1, 0.4, 0.3, 0.9])
TRUTH = np.array([0.0, 0.0, 1.0, 1.0])
ALONE = ["a", "b", "c", "d"]


def test_by_hand():
    assert area(VALUES, TRUTH) == pytest.approx(3 / 4)  # .3 is not above .4
    assert spearman(VALUES, np.array([1.0, 2.0, 3.0, 4.0])) == pytest.approx(1 - 6 * 2 / (4 * 15))
    # deviations −.325, −.025, −.125, .475 against −1.5, −.5, .5, 1.5
    assert pearson(VALUES, np.array([1.0, 2.0, 3.0, 4.0])) == pytest.approx(1.15 / math.sqrt(0.3475 * 5))
    assert kendall(VALUES, np.array([1.0, 2.0, 3.0, 4.0])) == pytest.approx((5 - 1) / 6)


def test_what_does_not_vary_has_no_agreement():
    assert math.isnan(spearman(VALUES, np.ones(4)))
    assert math.isnan(pearson(VALUES, np.ones(4)))
    assert math.isnan(area(VALUES, np.ones(4)))


def test_the_interval_holds_the_value_and_draws_questions_whole():
    value, low, high = with_interval(spearman, VALUES, TRUTH, ALONE, resamples=200)
    assert low <= value <= high
    assert low < high
    whole = with_interval(spearman, VALUES, TRUTH, ["one"] * 4, resamples=20)
    assert whole == (value, value, value)


def test_the_difference_is_paired():
    assert paired_difference(area, VALUES, VALUES, TRUTH, ALONE) == (0, 0, 0)
    better, low, high = paired_difference(area, TRUTH, VALUES, TRUTH, ALONE)
    assert better == pytest.approx(1 / 4)
    assert 0 <= low <= better <= high
