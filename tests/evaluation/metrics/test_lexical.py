"""Lexical metrics: by hand, and against rouge-score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.base import metrics
from evaluation.metrics.k_precision import KPrecision, KPrecisionOptions
from evaluation.types import Score
from tests.evaluation.samples import make_context, make_sample

WORDS = st.lists(st.sampled_from(["the", "river", "Nile", "in", "Egypt", "b", "is", "long", "7"]), max_size=30)


def value(name: str, answer: str, references: list[str], **changes: object) -> float | None:
    sample = make_sample(answer, references, **changes)  # type: ignore[arg-type]
    return metrics.get(name)().score_many([sample], make_context())[0].value


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("token_precision", 2 / 4),  # river, nile of "it", "is", "river", "nile"
        ("token_recall", 2 / 3),  # of "long", "river", "nile"
        ("token_f1", 2 * (1 / 2 * 2 / 3) / (1 / 2 + 2 / 3)),
        ("exact_match", 0.0),
        ("rouge_l", 2 * (3 / 5 * 3 / 4) / (3 / 5 + 3 / 4)),  # "the", "river", "nile" in order; ROUGE keeps articles
    ],
)
def test_worked_by_hand(name, expected):
    assert value(name, "It is the river Nile.", ["the long river Nile"]) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["token_precision", "token_recall", "token_f1", "exact_match", "rouge_l"])
def test_the_best_reference_counts_and_words_decide_not_case_or_articles(name):
    assert value(name, "The Nile!", ["Amazon", "nile" if name != "rouge_l" else "the nile"]) == 1.0
    assert value(name, "", ["Nile"]) == 0.0
    assert value(name, "Nile", ["...", "the"] if name != "rouge_l" else ["..."]) is None


@pytest.mark.parametrize("name", ["token_f1", "rouge_l", "exact_match"])
def test_other_scripts_have_words_too(name):
    assert value(name, "النيل طويل", ["النيل طويل"]) == 1.0
    assert value(name, "北京 上海", ["北京 上海"]) == 1.0


@given(WORDS, WORDS)
def test_rouge_l_is_that_of_rouge_score(answer, reference):
    from rouge_score.rouge_scorer import RougeScorer

    theirs = RougeScorer(["rougeL"], use_stemmer=False).score(" ".join(reference), " ".join(answer))["rougeL"].fmeasure
    ours = value("rouge_l", " ".join(answer), [" ".join(reference)])
    assert ours == (pytest.approx(theirs) if reference else None)


def test_ten_thousand_words_are_no_trouble():
    assert value("rouge_l", "a b " * 5000, ["b a " * 5000]) == 9999 / 10_000


def test_k_precision_names_the_words_that_no_context_has():
    text = "The Nile is a long river. It lies in Africa."
    sample = make_sample("The Nile lies in Asia", document=text, contexts=[(1, 0, 25), (1, 26, 44)])
    score = KPrecision().score_many([sample], make_context())[0]
    assert score.value == pytest.approx(3 / 4)  # nile, lies, in; not asia
    assert score.details == {"missing": ["asia"]}
    best = KPrecision(KPrecisionOptions(best_context=True)).score_many([sample], make_context())[0]
    assert best.value == pytest.approx(2 / 4)  # the second context: lies, in


def test_k_precision_of_an_answer_without_words_is_empty_and_of_no_context_0():
    scores = KPrecision().score_many([make_sample("...!"), make_sample("Nile")], make_context(["attempt", "attempt"]))
    assert scores == [
        Score.unscored("the answer has no word to compare"),
        Score(0.0, "0 of 1 words of the answer are in the contexts", {"missing": ["nile"]}),
    ]


def test_reference_context_recall_judges_retrieval_by_its_words():
    text = "The Nile is long. Cairo lies on it."
    sample = make_sample("", document=text, evidence=[(0, 17)], contexts=[(1, 4, 11)])
    score = metrics.get("reference_context_recall")().score_many([sample], make_context(["empty"]))[0]
    assert score.value == pytest.approx(2 / 3)  # nile, is; not long
