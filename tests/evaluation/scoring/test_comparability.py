"""Whether two scorings measured the same, metric by metric."""

from __future__ import annotations

import pytest

from evaluation.metrics.base import metrics
from evaluation.scoring.comparability import HowScored, formulas_in_force, measured_differently, other_formulas
from evaluation.spec import HEADLINE, EvaluationSpec

LIMITED = {"max_words": {"limit": 7}}


def scored(prompts=None, formulas=None, **spec) -> HowScored:
    """Return how something was scored; agreement is token recall unless said."""
    return HowScored(EvaluationSpec.create({"agreement": "token_recall"} | spec), prompts or {}, formulas or {})


@pytest.mark.parametrize(
    "name, a, b, differing",
    [
        ("token_f1", scored(), scored(), []),
        ("token_f1", scored(), scored(agreement="semantic_similarity", weights={"recall": 2}), []),
        ("recall", scored(), scored(agreement="semantic_similarity"), ["Agreement"]),
        ("token_f1", scored(judge="openai:a"), scored(judge="openai:b", judge_votes=3), []),
        ("judge_score", scored(judge="openai:a"), scored(judge="openai:b"), ["Judge"]),
        ("recall", scored(judge="openai:a"), scored(judge="openai:b"), []),
        (
            "recall",
            scored(agreement="answer_correctness", judge="openai:a"),
            scored(agreement="answer_correctness", judge="openai:b"),
            ["Judge"],
        ),
        ("token_f1", scored(), scored(refusal_threshold=0.7), ["Refusal threshold"]),
        (
            "max_words",
            scored(),
            scored(metric_options={"max_words": {"limit": 7}}),
            ["options of At most so many words"],
        ),
        ("token_f1", scored(), scored(metric_options={"max_words": {"limit": 7}}), []),
        ("judge_score", scored({"x": "A"}), scored({"x": "B"}), ["the judge's prompt x"]),
        ("judge_score", scored({"x": "A"}), scored({"x": "A", "y": "B"}), []),
        ("token_f1", scored({"x": "A"}), scored({"x": "B"}), []),
        ("token_f1", scored(), scored(formulas={"token_f1": 2}), ["the formula of Token F1"]),
        ("token_f1", scored(formulas={"token_f1": 2}), scored(formulas={"token_f1": 2}), []),
        ("token_f1", scored(), scored(formulas={"token_f1": 1, "token_recall": 2}), []),
        ("recall", scored(), scored(formulas={"token_recall": 2}), ["the formula of Token recall"]),
        ("recall", scored(agreement="semantic_similarity"), scored(formulas={"token_recall": 2}), ["Agreement"]),
    ],
)
def test_only_what_a_metric_reads_makes_it_incomparable(name, a, b, differing):
    assert measured_differently(name, a, b) == differing
    assert measured_differently(name, b, a) == differing


@pytest.mark.parametrize(
    "name, formulas, differing",
    [
        ("total", {"token_recall": 2, "brevity": 3}, ["Brevity", "Token recall"]),
        ("brevity", {"token_recall": 2, "brevity": 3}, ["Brevity"]),
        ("robustness", {"token_recall": 2, "brevity": 3}, ["Token recall"]),
        ("context_matching", {"token_recall": 2, "brevity": 3}, []),
    ],
)
def test_a_score_made_of_others_has_their_formulas(name, formulas, differing):
    assert other_formulas(name, scored(), scored(formulas=formulas)) == differing


def test_only_formulas_after_the_first_are_kept_and_those_that_have_changed_since_are_named():
    names = (*HEADLINE, "groundedness_offline", "token_f1")
    kept = formulas_in_force(names)
    assert kept == {name: metrics.get(name).revision for name in names if metrics.get(name).revision > 1}
    assert "groundedness_offline" in kept
    of_present, of_first = (scored(formulas=each, metrics=names[-2:]) for each in (kept, {}))
    assert [metric.key for metric in of_present.older()] == []
    assert {metric.key for metric in of_first.older()} == kept.keys()
    other = scored(formulas=kept | {"recall": 9}, metrics=())
    assert [metric.key for metric in other.older("total")] == ["recall"]


@pytest.mark.parametrize(
    ("given", "differing"),
    [
        ({"bounding": "right"}, ["Bounding counts"]),
        ({"failure_agreement_high": 0.9}, []),
        ({"bounding": "right", "failure_agreement_high": 0.9}, ["Bounding counts", "Incomplete below"]),
    ],
)
def test_what_is_right_matters_to_knowledge_bounding_where_right_answers_count(given, differing):
    assert measured_differently("knowledge_bounding", scored(), scored(**given)) == differing
    assert measured_differently("recall", scored(), scored(**given)) == []
