"""Whether two scorings measured the same, metric by metric."""

from __future__ import annotations

import pytest

from evaluation.comparable import HowScored, measured_differently
from evaluation.spec import EvaluationSpec

LIMITED = {"max_words": {"limit": 7}}


def scored(prompts=None, **spec) -> HowScored:
    return HowScored(EvaluationSpec.create(spec), prompts or {})


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
    ],
)
def test_only_what_a_metric_reads_makes_it_incomparable(name, a, b, differing):
    assert measured_differently(name, a, b) == differing
    assert measured_differently(name, b, a) == differing
