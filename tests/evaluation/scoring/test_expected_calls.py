"""How many calls a judge will take, by hand."""

from __future__ import annotations

import pytest

from evaluation.scoring.expected_calls import expected_calls
from evaluation.spec import EvaluationSpec

JUDGE = "openai:gpt-4.1-mini"


@pytest.mark.parametrize(
    ("given", "calls"),
    [
        ({"metrics": "token_f1"}, 0),
        ({"metrics": "faithfulness"}, 1 + 1),  # the answer's claims, against all contexts at once
        ({"metrics": "claim_recall"}, 1 + 1 + 5),  # each context is asked, too
        ({"metrics": "faithfulness,factual_similarity,noise_sensitivity"}, 2 + 1 + 5 + 2),  # one table for all three
        ({"metrics": "faithfulness", "judge_votes": 3}, 1 + 3 * 1),
        ({"metrics": "answer_relevancy,judge_score"}, 2),
        ({"metrics": "answer_relevancy,judge_score", "judge_votes": 3}, 1 + 3),
        ({"metrics": "context_precision"}, 5),
        ({"metrics": "aspect:coherence,aspect:harmfulness"}, 2),
    ],
)
def test_of_one_answer_with_five_contexts(given, calls):
    assert expected_calls(EvaluationSpec.create(given | {"judge": JUDGE}), answers=1, contexts=5) == calls


def test_times_the_answers_and_none_without_a_judge():
    assert expected_calls(EvaluationSpec.create({"metrics": "judge_score", "judge": JUDGE}), 75, 4) == 75
    assert expected_calls(EvaluationSpec.create({"metrics": "judge_score"}), 75, 4) == 0


def test_the_agreement_counts_too():
    spec = EvaluationSpec.create({"agreement": "answer_correctness", "judge": JUDGE})
    assert expected_calls(spec, 1, 4) == 2 + 2


def test_each_further_reference_is_taken_apart_and_compared_with_the_answer():
    spec = EvaluationSpec.create({"metrics": "factual_similarity,faithfulness", "judge": JUDGE})
    assert expected_calls(spec, 1, 4, references=1) == 2 + 1 + 2
    assert expected_calls(spec, 1, 4, references=3) == 4 + 1 + 4
    assert expected_calls(spec, 10, 4, references=1.25) == 10 * 5 + 5


def test_more_contexts_than_are_shown_together_are_shown_in_portions_twice():
    spec = EvaluationSpec.create({"metrics": "faithfulness", "judge": JUDGE})
    assert expected_calls(spec, 1, 100) == 1 + 3 * 2
