"""The share of wins over many pairs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.judge.win_rates import PreferenceSummary, summarise_preferences
from evaluation.statistics.intervals import Cluster
from evaluation.types import Score


def verdicts(*values: float | None, biased: str = "") -> list[tuple[Cluster, Score]]:
    scores = [
        Score.unscored("no")
        if value is None
        else Score(value, "", {"shown_first": "this", "orders_agree": not biased, "place_taken": biased})
        for value in values
    ]
    return [(("answerable", f"p{number}"), score) for number, score in enumerate(scores)]


def test_a_tie_is_half_a_win() -> None:
    found = summarise_preferences(verdicts(1, 1, 0.5, 0, None))
    assert found.win_rate == pytest.approx(2.5 / 4)
    assert (found.wins, found.ties, found.losses, found.n, found.n_null) == (2, 1, 1, 4, 1)
    assert found.verdict == "not distinguishable"


def test_winning_always_is_better_with_an_interval_that_stops_short_of_certainty() -> None:
    found = summarise_preferences(verdicts(*[1.0] * 30))
    assert found.win_rate == 1.0
    assert found.verdict == "better"
    assert found.ci_low is not None
    assert 0.8 < found.ci_low < 1.0


def test_the_repeats_of_a_pair_count_once() -> None:
    alone = summarise_preferences(verdicts(1, 1, 1, 0, 1, 1))
    doubled = summarise_preferences([each for each in verdicts(1, 1, 1, 0, 1, 1) for _ in range(5)])
    assert (doubled.n, doubled.clusters) == (30, 6)
    assert doubled.p == alone.p
    assert doubled.ci_low == pytest.approx(alone.ci_low)


def test_inconsistent_verdicts_are_counted_by_the_place_that_was_taken() -> None:
    rows = [*verdicts(0.5, 0.5, biased="first"), *verdicts(0.5, biased="second"), *verdicts(1)]
    found = summarise_preferences(rows)
    assert (found.inconsistent, found.took_first, found.took_second) == (3, 2, 1)
    assert found.share_inconsistent == 0.75
    same = (("answerable", "p9"), Score(0.5, "The answers are the same.", {"orders_agree": True}))
    found = summarise_preferences([*rows, same])
    assert (found.n, found.asked, found.share_inconsistent) == (5, 4, 0.75)


def test_without_a_verdict_there_is_no_share() -> None:
    assert summarise_preferences(verdicts(None)) == PreferenceSummary(n_null=1)
    assert summarise_preferences([]).share_inconsistent is None
    same = (("answerable", "p9"), Score(0.5, "The answers are the same.", {"orders_agree": True}))
    assert summarise_preferences([same, *verdicts(None)]) == PreferenceSummary(n_null=1)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=12))
def test_turned_round_it_is_what_the_other_side_has(values: list[float]) -> None:
    here, there = summarise_preferences(verdicts(*values)), summarise_preferences(verdicts(*[1 - v for v in values]))
    assert here.win_rate == pytest.approx(there.turned().win_rate)
    assert (here.wins, here.losses, here.p) == (there.turned().wins, there.turned().losses, pytest.approx(there.p))
    assert here.ci_low is not None
    assert here.win_rate is not None
    assert here.ci_high is not None
    assert 0 <= here.ci_low <= here.win_rate <= here.ci_high <= 1
