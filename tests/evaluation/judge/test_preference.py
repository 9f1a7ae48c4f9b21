"""Preferences between two answers: both orders, ties, bias towards a place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.judge.judge import Unjudged, make_judge
from evaluation.judge.preference import PreferredAnswer, decided, prefer_many
from evaluation.judge.prompts import JudgePrompts
from evaluation.types import Sample, Score
from tests.evaluation.samples import make_sample
from tests.fake_openai import FakeOpenAI


def pair(this: str, other: str | None) -> Sample:
    return replace(make_sample(this, references=["Porthmere Lund"]), other_answer=other)


def preferred(*samples: Sample, votes: int = 1) -> list[Score]:
    return prefer_many(samples, make_judge("openai:judge-1", JudgePrompts(), None, votes))


def says(better: str) -> PreferredAnswer:
    return PreferredAnswer(reason=f"{better}!", better=better)  # type: ignore[arg-type]


def test_the_better_answer_wins_wherever_it_stands(fake_openai: FakeOpenAI) -> None:
    won, lost = preferred(pair("Porthmere and Lund", "Porthmere"), pair("Cairo", "Lund"))
    assert (won.value, lost.value) == (1.0, 0.0)
    assert won.details == {"shown_first": "this", "shown_second": "this", "orders_agree": True}
    assert won.reason == "The first has 100% of the reference, the second 50%."
    assert len(fake_openai.requests) == 4


def test_a_judge_that_takes_the_first_place_twice_gives_a_tie_and_is_called_biased(fake_openai: FakeOpenAI) -> None:
    [score] = preferred(pair("Porthmere", "Lund"))
    assert score.value == 0.5
    assert score.details == {
        "shown_first": "this",
        "shown_second": "other",
        "orders_agree": False,
        "place_taken": "first",
    }
    assert "stood first" in score.reason


def test_the_same_answer_is_a_tie_that_nobody_is_asked_about(fake_openai: FakeOpenAI) -> None:
    assert [score.value for score in preferred(pair("Lund ", "Lund"), pair("", ""))] == [0.5, 0.5]
    assert not fake_openai.requests


def test_no_answer_is_shown_as_that(fake_openai: FakeOpenAI) -> None:
    [score] = preferred(pair("", "Lund"))
    assert score.value == 0.0
    assert any("<first>\n(no answer)\n</first>" in prompt for prompt in fake_openai.asked_for("PreferredAnswer"))


def test_without_one_of_the_two_verdicts_there_is_no_score() -> None:
    assert decided(says("first"), Unjudged("away")) == Score.unjudged("away")
    assert decided(Unjudged("away"), says("first")) == Score.unjudged("away")


@pytest.mark.parametrize(
    ("in_order", "swapped", "value", "agree", "taken"),
    [
        ("first", "second", 1.0, True, ""),
        ("second", "first", 0.0, True, ""),
        ("tie", "tie", 0.5, True, ""),
        ("first", "first", 0.5, False, "first"),
        ("second", "second", 0.5, False, "second"),
        ("first", "tie", 0.5, False, ""),
        ("tie", "first", 0.5, False, ""),
    ],
)
def test_only_a_win_in_both_orders_is_one(in_order: str, swapped: str, value: float, agree: bool, taken: str) -> None:
    score = decided(says(in_order), says(swapped))
    assert (score.value, score.details["orders_agree"], score.details.get("place_taken", "")) == (value, agree, taken)


@given(st.sampled_from(["first", "second", "tie"]), st.sampled_from(["first", "second", "tie"]))
def test_seen_from_the_other_side_a_win_is_a_loss(one: str, two: str) -> None:
    here, there = decided(says(one), says(two)), decided(says(two), says(one))
    assert here.value is not None
    assert there.value is not None
    assert here.value + there.value == 1


def test_votes_without_a_majority_are_a_tie() -> None:
    votes = [says("first"), says("second"), says("tie")]
    assert PreferredAnswer.combine(votes) == says("tie")
    assert PreferredAnswer.combine([says("first"), says("second"), says("first")]) == says("first")
    split = [says(each) for each in ("first", "first", "second", "second", "tie")]
    assert PreferredAnswer.combine(split).better == "tie"
