"""Agreement of answer and reference, and the two scores made of it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from evaluation.metrics.base import UNREAD, metrics
from evaluation.types import Score
from tests.evaluation.samples import make_context, make_sample


def one(key, sample, context=None):
    (score,) = metrics.get(key)().score_many([sample], context or make_context())
    return score


@pytest.mark.parametrize(
    "answer, references, recall",
    [
        ("It was issued in Memphis.", ["Memphis"], 1),
        ("Memphis", ["in the city of Memphis"], 1 / 4),  # in, city, of, memphis
        ("red red blue", ["red red red blue"], 3 / 4),  # multisets: two of three reds
        ("red", ["red red"], 1 / 2),
        ("July", ["August 1799", "July 1799"], 1 / 2),  # the best reference counts
        ("", ["Memphis"], 0),
        ("The.", ["Memphis"], 0),
        ("MEMPHIS!", ["memphis"], 1),
    ],
)
def test_token_recall(answer, references, recall):
    assert one("token_recall", make_sample(answer, references)).value == pytest.approx(recall)


def test_token_recall_says_which_words_are_missing():
    score = one("token_recall", make_sample("Memphis in 196", ["Memphis in 196 BC"]))
    assert score.reason == "3 of 4 words of the reference are in the answer"
    assert score.details == {"reference": "Memphis in 196 BC", "missing": ["bc"]}


@pytest.mark.parametrize(
    "references, reason",
    [
        ([], "the question has no reference answer"),
        (["", "  "], "the question has no reference answer"),
        (["the", "?!"], "no reference answer has a word to compare"),
    ],
)
def test_without_a_usable_reference_there_is_no_agreement(references, reason):
    assert one("token_recall", make_sample("Memphis", references)) == Score.unscored(reason)


def test_semantic_similarity_is_the_best_cosine():
    score = one("semantic_similarity", make_sample("red blue", ["green", "red"]))
    assert score.value == pytest.approx(1 / math.sqrt(2))
    assert score.details == {"reference": "red"}
    assert one("semantic_similarity", make_sample("red", ["red"])).value == pytest.approx(1)
    assert one("semantic_similarity", make_sample(" ", ["red"])).value == 0


@pytest.mark.parametrize("key, kind, other", [("recall", "simple", "complex"), ("robustness", "complex", "simple")])
def test_recall_and_robustness_are_the_agreement_on_their_kind_of_question(key, kind, other):
    context = make_context(agreement=[Score(0.75, "3 of 4")])
    assert one(key, make_sample(kind=kind), context) == Score(0.75, "3 of 4")
    assert one(key, make_sample(kind=other), context).reason == f"counts only for {kind} questions"
    assert one(key, make_sample(kind="out_of_scope"), context).value is None


@pytest.mark.parametrize("key, kind", [("recall", "simple"), ("robustness", "complex")])
def test_a_refusal_scores_zero_whatever_words_it_shares(key, kind):
    context = make_context(["refused"], [Score(0.75)])
    assert one(key, make_sample(kind=kind), context) == Score(0.0, "the answer declines", {"agreement": 0.75})
    assert one(key, make_sample(kind=kind), make_context(["partial"], [Score(0.75)])).value == 0.75


@pytest.mark.parametrize("key, kind", [("recall", "simple"), ("robustness", "complex")])
def test_a_refusal_without_a_reference_stays_empty(key, kind):
    context = make_context(["refused"], [Score.unscored("no reference answer has a word to compare")])
    assert one(key, make_sample(kind=kind, references=["the"]), context).value is None


@pytest.mark.parametrize("name", ["semantic_similarity", "correctness_offline"])
def test_no_closeness_of_texts_that_the_model_cannot_read(name):
    def score(answer, *references):
        return one(name, make_sample(answer, references), replace(make_context(), reads=str.isascii))

    assert score("แมว", "กรุงเทพ") == Score.unscored(UNREAD)
    assert score("Bell 电", "Ball") == Score.unscored(UNREAD)
    assert score("Bell", "贝尔 Bell", "Bell").value == pytest.approx(1)  # the reference that it reads counts
    assert score("แมว ", "แมว").value == pytest.approx(1)  # equal texts need not be read
    assert score("", "แมว").value == 0


def test_recall_by_meaning_has_no_value_then_either():
    sample = make_sample("แมว", ["กรุงเทพ"])
    context = replace(make_context(), reads=str.isascii)
    context = replace(context, agreement=[one("semantic_similarity", sample, context)])
    assert one("recall", sample, context) == Score.unscored(UNREAD)
