"""The check of a judge, by hand: agreement with marks, flips under reversed contexts, replies that cannot be used."""

from __future__ import annotations

import pytest

from evaluation.judge.checking.check import MarkedCase, check_judge_on_marks, marked_cases
from evaluation.judge.judge import Judge, make_judge
from evaluation.judge.prompts import JudgePrompts
from evaluation.statistics.intervals import wilson
from rag_pipeline.runtime import ModelLimits
from tests.fake_openai import Behaviour, FakeOpenAI

CASE = MarkedCase(("First text.", "Second text."), {"A.": True, "B.": False})


def judge(votes: int = 1) -> Judge:
    return make_judge("openai:judge-1", JudgePrompts(), None, votes, limits=ModelLimits(concurrency=1))


def says(server: FakeOpenAI, *verdicts: tuple[bool, bool]) -> None:
    server.fills(
        "CheckedClaims",
        *(
            {"verdicts": [{"number": number, "supported": each} for number, each in enumerate(pair, 1)]}
            for pair in verdicts
        ),
    )


def test_verdicts_are_held_against_the_marks_in_both_orders(fake_openai: FakeOpenAI) -> None:
    says(fake_openai, (True, True), (True, False))
    found = check_judge_on_marks(judge(), [CASE])
    assert (found.claims, found.verdicts, found.calls, found.unusable, found.unjudged) == (2, 4, 2, 0, 0)
    assert found.agreement == 3 / 4
    assert (found.agreement_low, found.agreement_high) == pytest.approx(wilson(3, 4))
    assert (found.false_yes, found.false_no, found.flip_rate) == (1 / 2, 0, 1 / 2)
    shown = [prompt.rpartition("<text>")[2] for prompt in fake_openai.asked_for("CheckedClaims")]
    assert [each.index("First") < each.index("Second") for each in shown] == [True, False]


def test_what_cannot_be_used_is_counted_and_no_disagreement(fake_openai: FakeOpenAI) -> None:
    fake_openai.when("First text.\n\n---", Behaviour.says("no JSON"))
    says(fake_openai, (True, False))
    found = check_judge_on_marks(judge(), [CASE])
    assert (found.agreement, found.verdicts, found.flip_rate, found.unjudged) == (1, 2, None, 2)
    assert (found.calls, found.unusable) == (3 + 1, 3)  # repaired, asked anew, given up


def test_a_judge_that_says_nothing_of_use_has_no_agreement(fake_openai: FakeOpenAI) -> None:
    fake_openai.always = Behaviour.says("no JSON")
    found = check_judge_on_marks(judge(), [CASE])
    assert (found.agreement, found.false_yes, found.unjudged, found.unusable) == (None, None, 2, 6)


def test_votes_are_no_unusable_replies(fake_openai: FakeOpenAI) -> None:
    assert check_judge_on_marks(judge(votes=3), [CASE]).unusable == 0


def test_the_shipped_claims_are_balanced_and_in_several_languages() -> None:
    marks = [mark for case in marked_cases() for mark in case.claims.values()]
    assert len(marks) >= 60
    assert 0.4 <= sum(marks) / len(marks) <= 0.6
    assert all(len(case.contexts) > 1 for case in marked_cases())
    assert any("Mühle" in case.contexts[0] for case in marked_cases())
