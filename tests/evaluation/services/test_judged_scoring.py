"""A run scored with a judge from end to end: over real HTTP to the fake server, cached, and cheap."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluation.models import Run
from evaluation.spec import EvaluationSpec
from tests.factories import WORDS, make_corpus, make_run, make_testset, rosetta_drafts, score_run
from tests.fake_openai import Behaviour, FakeOpenAI

pytestmark = pytest.mark.django_db
RAGAS = (
    "faithfulness,answer_relevancy,context_relevance,context_precision,context_recall,factual_similarity,"
    "answer_correctness,noise_sensitivity"
)
CLAIMS = "claim_recall,context_utilization,hallucination,self_knowledge"
GOOD = "The decree was issued in Memphis in 196 BC on behalf of King Ptolemy V Epiphanes."
BAD = "The decree was issued in Cairo in 1801 on behalf of Queen Cleopatra."


def spec(metrics: str, **more: str) -> EvaluationSpec:
    return EvaluationSpec.create({"eval_embedding": WORDS, "judge": "openai:judge-1", "metrics": metrics} | more)


def values(run: Run, question_id: str) -> dict[str, float | None]:
    assert run.current_scoring is not None
    own = run.current_scoring.scores.filter(answer__question__question_id=question_id)
    return dict(own.values_list("metric", "value"))


def test_every_metric_tells_a_right_answer_from_an_invented_one(fake_openai: FakeOpenAI) -> None:
    run = make_run(answers={"p1s": GOOD, "p2s": BAD}, scored=False)
    score_run(run=run, spec=spec(f"{RAGAS},{CLAIMS}"))
    right, invented = values(run, "p1s"), values(run, "p2s")
    for name in (*RAGAS.split(","), *CLAIMS.split(",")):
        assert right[name] is not None, name
    assert [right[name] for name in ("faithfulness", "context_recall", "claim_recall", "hallucination")] == [1, 1, 1, 0]
    assert invented["faithfulness"] == 0
    assert invented["hallucination"] == 1
    assert (right["answer_relevancy"] or 0) > (invented["answer_relevancy"] or 0) > 0
    declined = values(run, "o1")
    assert [declined[name] for name in ("faithfulness", "answer_relevancy", "hallucination")] == [None] * 3


def test_metrics_of_a_row_at_five_contexts_and_two_references_share_twelve_calls(
    fake_openai: FakeOpenAI,
) -> None:
    corpus = make_corpus()
    testset = make_testset(corpus, drafts=rosetta_drafts(corpus.documents.get())[:1])
    spans = [(at, at + 120) for at in range(0, 500, 100)]
    run = make_run(testset, {"p1s": f"{GOOD} {BAD}"}, contexts={"p1s": spans}, scored=False)
    score_run(run=run, spec=spec("faithfulness"))
    assert len(fake_openai.requests) == 1 + 1  # the answer's claims, and all contexts at once
    fake_openai.requests.clear()
    score_run(run=run, spec=spec("factual_similarity,noise_sensitivity"))
    asked = Counter(body["response_format"]["json_schema"]["name"] for body in fake_openai.bodies())
    # Each reference's claims; all contexts and each by itself, the answer in each reference and theirs in the answer.
    assert asked == {"ExtractedClaims": 2, "CheckedClaims": 1 + 5 + 2 + 1}
    score_run(run=run, spec=spec(f"context_recall,factual_similarity,noise_sensitivity,{CLAIMS}"))
    assert len(fake_openai.requests) == 11
    assert run.current_scoring is not None
    assert (run.current_scoring.judging["calls"], run.current_scoring.judging["cached"]) == (0, 12)
    assert set(run.current_scoring.prompts) == {"claims", "check_claims", "compare_claims"}


def test_recall_and_robustness_can_be_made_of_answer_correctness(fake_openai: FakeOpenAI) -> None:
    run = make_run(answers={"p1s": GOOD, "p2s": BAD, "p3s": "I am not aware of that topic"}, scored=False)
    score_run(run=run, spec=spec("answer_correctness", agreement="answer_correctness"))
    for question_id in ("p1s", "p2s"):
        row = values(run, question_id)
        assert row["recall"] == row["answer_correctness"] is not None
    assert (values(run, "p1s")["recall"] or 0) > (values(run, "p2s")["recall"] or 0)
    assert values(run, "p3s")["recall"] == 0
    assert values(run, "p1c")["robustness"] == values(run, "p1c")["answer_correctness"]


def test_reply_limit_and_length_of_lists_are_settings(fake_openai: FakeOpenAI) -> None:
    run = make_run(answers={"p1s": f"{GOOD} {BAD}"}, scored=False)
    score_run(run=run, spec=spec("faithfulness", judge_max_tokens=9000, judge_batch=1))
    bodies = fake_openai.bodies()
    assert {body["max_tokens"] for body in bodies} == {9000}
    lists = [prompt.rpartition("<claims>")[2] for prompt in fake_openai.asked_for("CheckedClaims")]
    assert lists
    assert all("\n2. " not in each for each in lists)


def test_a_reply_that_was_cut_off_says_which_limit_to_raise(fake_openai: FakeOpenAI) -> None:
    fake_openai.always = Behaviour.says("<think> and on", finish="length")
    run = make_run(answers={"p1s": GOOD}, scored=False)
    score_run(run=run, spec=spec("faithfulness", judge_max_tokens=100))
    assert run.current_scoring is not None
    reason = run.current_scoring.scores.get(metric="faithfulness", answer__question__question_id="p1s").reason
    assert reason.endswith("It was cut off after 100 tokens. Raise the Judge reply limit (judge_max_tokens).")
