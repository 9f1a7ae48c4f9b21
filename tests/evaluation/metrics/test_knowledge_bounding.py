"""Attempting what can be answered and declining what cannot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.metrics.base import metrics
from evaluation.scoring.summaries import summarise
from evaluation.spec import EvaluationSpec
from evaluation.types import Score
from tests.evaluation.samples import make_context, make_sample


@pytest.mark.parametrize(
    "kind, label, value",
    [
        ("simple", "attempt", 1),
        ("complex", "partial", 1),
        ("simple", "refused", 0),
        ("out_of_scope", "refused", 1),
        ("out_of_scope", "attempt", 0),
        ("out_of_scope", "partial", 0),
    ],
)
def test_right_and_wrong(kind, label, value):
    (score,) = metrics.get("knowledge_bounding")().score_many([make_sample(kind=kind)], make_context([label]))
    assert score.value == value


@pytest.mark.parametrize("kind", ["simple", "out_of_scope"])
def test_an_empty_answer_is_neither_an_attempt_nor_a_refusal(kind):
    (score,) = metrics.get("knowledge_bounding")().score_many([make_sample("", kind=kind)], make_context(["empty"]))
    assert score.value == 0
    assert "neither" in score.reason


def summary(labels):
    samples = [make_sample(kind=kind, pair_id=f"p{number}") for number, (kind, _) in enumerate(labels)]
    scores = metrics.get("knowledge_bounding")().score_many(samples, make_context([label for _, label in labels]))
    return summarise(samples, {"knowledge_bounding": scores}, EvaluationSpec())["knowledge_bounding", ""]


def test_a_run_is_the_mean_of_two_rates_not_of_the_column():
    labels = (
        [("simple", "attempt")] * 6
        + [("simple", "refused")] * 2
        + [("out_of_scope", "refused")]
        + [("out_of_scope", "attempt")]
    )
    found = summary(labels)
    assert found.mean == pytest.approx((6 / 8 + 1 / 2) / 2)  # the column's mean would be 7 / 10
    assert (found.details["attempted"], found.details["refused"]) == (0.75, 0.5)
    assert found.n == 10


@pytest.mark.parametrize("label", ["attempt", "refused"])
def test_a_bot_that_always_does_the_same_gets_a_half(label):
    assert summary([("simple", label)] * 9 + [("out_of_scope", label)] * 3).mean == 0.5


@pytest.mark.parametrize(
    "kind, reason",
    [("simple", "there are no out-of-scope questions"), ("out_of_scope", "there are no answerable questions")],
)
def test_without_both_kinds_it_is_empty(kind, reason):
    found = summary([(kind, "attempt")] * 3)
    assert (found.mean, found.reason) == (None, reason)


def by_agreement(rows, bounding):
    """Score (kind, label, agreement) rows, the agreement None where there is no reference."""
    samples = [
        make_sample(references=["Memphis"] if value is not None else [], kind=kind, pair_id=f"p{number}")
        for number, (kind, _, value) in enumerate(rows)
    ]
    spec = EvaluationSpec.create({"bounding": bounding})
    agreement = [Score(value) if value is not None else Score.unscored("none") for _, _, value in rows]
    context = replace(make_context([label for _, label, _ in rows]), spec=spec, agreement=agreement)
    scores = metrics.get("knowledge_bounding")().score_many(samples, context)
    return scores, summarise(samples, {"knowledge_bounding": scores}, spec)


@pytest.mark.parametrize(("bounding", "answerable"), [("attempted", 4 / 6), ("right", 2 / 4)])
def test_answerable_questions_count_as_attempted_or_as_answered_rightly_and_both_rates_are_shown(bounding, answerable):
    rows = [
        ("simple", "attempt", 0.8),
        ("simple", "attempt", 1.0),
        ("complex", "attempt", 0.79),
        ("complex", "refused", 1.0),  # its words may agree, yet it declines
        ("simple", "attempt", None),  # without a reference nobody knows what is right
        ("simple", "refused", None),
        ("out_of_scope", "refused", None),
        ("out_of_scope", "attempt", None),
        ("out_of_scope", "attempt", None),
    ]
    scores, summaries = by_agreement(rows, bounding)
    found = summaries["knowledge_bounding", ""]
    assert found.mean == pytest.approx((answerable + 1 / 3) / 2)
    rates = {name: found.details[name] for name in ("attempted", "right", "refused")}
    assert rates == {"attempted": pytest.approx(4 / 6), "right": pytest.approx(2 / 4), "refused": pytest.approx(1 / 3)}
    assert summaries["knowledge_bounding", "attempted"].mean == pytest.approx(4 / 6)
    assert (summaries["knowledge_bounding", "right"].mean, summaries["knowledge_bounding", "right"].n) == (0.5, 4)
    if bounding == "right":
        assert scores[2].reason == "an answerable question was attempted and its agreement is below 0.8"
        assert [score.value for score in scores[4:6]] == [None, None]
