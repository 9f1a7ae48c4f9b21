"""Values and differences of metrics as text, each in its own unit and range."""

from __future__ import annotations

import math

import pytest

from evaluation.scoring.scales import Scale, scale_of

SECONDS = Scale(high=math.inf, unit="s", higher_is_better=False)
DOLLARS = Scale(high=math.inf, unit="USD")
TOKENS = Scale(high=math.inf, unit="tokens")
EASE = Scale(-math.inf, math.inf)
RATED = Scale(1, 5)


@pytest.mark.parametrize(
    "scale, value, text",
    [
        (Scale(), 0.834, "0.83"),
        (RATED, 4.5, "4.50"),
        (Scale(0, 100), 62.34, "62.3"),
        (EASE, -12.06, "−12.1"),
        (SECONDS, 1.24, "1.2 s"),
        (SECONDS, 0.0421, "42 ms"),
        (SECONDS, 0.0031, "3.1 ms"),
        (SECONDS, 0, "0.0 s"),
        (SECONDS, 1500.4, "1,500 s"),
        (DOLLARS, 0.0042, "$0.0042"),
        (DOLLARS, 0.000012, "$0.000012"),
        (DOLLARS, 3, "$3.00"),
        (TOKENS, 12400.4, "12,400 tokens"),
        (TOKENS, 3.25, "3.2 tokens"),
    ],
)
def test_a_value_reads_in_its_unit(scale, value, text):
    assert scale.text(value) == text


@pytest.mark.parametrize(
    "scale, value, text",
    [
        (Scale(), 0.123, "+0.12"),
        (Scale(), -0.05, "−0.05"),
        (Scale(), 0.004, "±0.00"),
        (SECONDS, -0.3, "−0.3 s"),
        (SECONDS, 0.012, "+12 ms"),
        (SECONDS, 0.0, "±0.0 s"),
        (TOKENS, 15.0, "+15 tokens"),
    ],
)
def test_a_difference_has_its_sign_and_unit(scale, value, text):
    assert scale.change(value) == text


@pytest.mark.parametrize(
    "value, text", [(0.004, "+0.004"), (-0.0042, "−0.004"), (0.0001, "+0.000"), (0.0, "±0.00"), (-0.12, "−0.12")]
)
def test_an_end_of_an_interval_shows_on_which_side_of_0_it_lies(value, text):
    assert Scale().end(value) == text
    assert SECONDS.end(0.0) == "±0.0 s"


def test_a_value_has_a_place_where_the_range_has_both_ends():
    assert RATED.place(2) == 0.25
    assert Scale(0, 100).place(62.5) == 0.625
    assert (SECONDS.place(1.2), EASE.place(50)) == (None, None)


@pytest.mark.parametrize(
    "scale, words",
    [
        (Scale(), "0 to 1"),
        (SECONDS, "0 and more (s)"),
        (EASE, "any number"),
        (Scale(-math.inf, 100), "up to 100"),
        (RATED, "1 to 5"),
    ],
)
def test_ranges_are_said_in_words(scale, words):
    assert scale.range_words() == words


def test_scales_go_by_the_name_of_the_metric():
    assert scale_of("recall") == Scale()
    assert scale_of("total") == Scale(0, 5)
    assert scale_of("gone_metric") == Scale()
