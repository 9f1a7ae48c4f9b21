"""A run's stored answers get scores, summaries and a file; scoring again changes only the scores."""

from __future__ import annotations

import pytest

from evaluation.models import MetricScore, Scoring
from evaluation.queries.stored_answers import make_samples, stored_answers
from evaluation.services.scoring import preview_scores
from evaluation.spec import HEADLINE, EvaluationSpec
from evaluation.types import DraftEvidence, DraftQuestion
from rag_pipeline.types import Span
from tests.factories import REFUSAL, WORDS, make_corpus, make_run, make_testset, score_run

pytestmark = pytest.mark.django_db


def means(run):
    return {row.metric: row.mean for row in run.current_scoring.metrics.filter(group="")}


def test_perfect_answers_get_perfect_scores():
    assert means(make_run()) == dict.fromkeys(HEADLINE, 1.0) | {"total": 5.0}


def test_a_wrong_a_refused_and_a_long_answer_cost_what_they_should():
    run = make_run(
        answers={
            "p1s": "Cairo",  # recall 0, brevity 1
            "p2s": REFUSAL,  # recall 0, brevity null, not attempted
            "p3c": "It was Jean-François Champollion of France",  # robustness 1, brevity 2/6
            "o1": "It weighs 760 kg.",  # not refused
        }
    )
    found = means(run)
    assert found["recall"] == pytest.approx(1 / 3)
    assert found["robustness"] == 1
    assert found["brevity"] == pytest.approx((1 + 1 + 1 + 1 + 1 / 3) / 5)
    assert found["knowledge_bounding"] == pytest.approx((5 / 6 + 1 / 2) / 2)
    assert found["context_matching"] == 1
    assert found["total"] == pytest.approx(sum(found[name] for name in HEADLINE))


def test_groups_are_kept_apart():
    run = make_run(answers={"p1c": "Cairo", "o1": "It weighs 760 kg."})
    groups = {(row.metric, row.group): row.mean for row in run.current_scoring.metrics.exclude(group="")}
    assert groups["robustness", "transformation:situational"] == 0
    assert groups["robustness", "transformation:rephrase"] == 1
    assert groups["robustness", "error:lower_case"] == 1
    assert groups["robustness", "error:none"] == 0.5
    assert groups["robustness", "twin_loss"] == pytest.approx(1 / 3)
    assert groups["knowledge_bounding", "attempted"] == 1
    assert groups["knowledge_bounding", "refused"] == 0.5
    assert groups["knowledge_bounding", "near"] == 0
    assert groups["knowledge_bounding", "far"] == 1


def test_every_null_has_its_reason_and_n_counts_the_rows():
    run = make_run(errors={"p1s": "The server did not answer."})
    scores = MetricScore.objects.filter(scoring=run.current_scoring)
    failed = scores.filter(answer__question__question_id="p1s")
    assert {score.reason for score in failed} == {"the question failed: The server did not answer."}
    assert not scores.filter(value=None, reason="").exists()
    for row in run.current_scoring.metrics.filter(group=""):
        assert row.n + row.n_null == 8
    recall = run.current_scoring.metrics.get(metric="recall", group="")
    assert (recall.n, recall.n_null, recall.details["applicable"]) == (2, 6, 3)


def test_scoring_again_adds_a_scoring_and_keeps_the_old_one():
    run = make_run()
    first = run.current_scoring
    second = score_run(run=run, spec=EvaluationSpec(eval_embedding=WORDS, agreement="semantic_similarity"))
    assert run.current_scoring == second
    assert Scoring.objects.filter(run=run, current=True).count() == 1
    assert first.scores.count() == second.scores.count() == 8 * 7  # the five, the refusal, the failure point


def test_a_preview_stores_nothing():
    run = make_run(answers={"p1s": "I am not aware of that city"})
    strict = EvaluationSpec(eval_embedding=WORDS, refusal_threshold=0.95, refusal_list=False, refusal_patterns=False)
    loose = strict.model_copy(update={"refusal_threshold": 0.5})
    assert preview_scores(run=run, spec=strict).summary("knowledge_bounding").mean == 1
    assert preview_scores(run=run, spec=loose).summary("knowledge_bounding").mean == pytest.approx((5 / 6 + 1) / 2)
    assert Scoring.objects.count() == 1


def test_a_run_without_context_has_no_context_matching_and_no_total():
    run = make_run(settings={"use_context": "false", "llm": "openai:gpt-4.1-mini"})
    row = run.current_scoring.metrics.get(metric="context_matching", group="")
    assert (row.mean, row.reason) == (None, "the run answered without context")
    total = run.current_scoring.metrics.get(metric="total")
    assert total.mean is None
    assert "Context matching" in total.reason


def test_a_repeat_of_the_evidence_in_another_document_is_as_good():
    sentence = "The kettle holds 1.7 litres of water."
    corpus = make_corpus(files={"a.txt": f"Kettles. {sentence} It is blue.", "b.txt": f"Manual. {sentence} Enjoy."})
    first, second = corpus.documents.order_by("id")
    evidence = DraftEvidence(Span(second.pk, 8, 8 + len(sentence)), sentence)
    draft = DraftQuestion("q1", "q1", "simple", "How much does it hold?", ("1.7 litres",), (evidence,))
    run = make_run(make_testset(corpus, drafts=[draft]), contexts={"q1": [(0, 9 + len(sentence))]}, scored=False)
    (sample,) = make_samples(run=run, answers=stored_answers(run=run))
    assert sample.equivalents == ((Span(first.pk, 9, 9 + len(sentence)),),)
    score_run(run=run, spec=EvaluationSpec(eval_embedding=WORDS))
    assert means(run)["context_matching"] == 1


def test_reading_a_run_takes_the_same_number_of_queries_whatever_its_size(django_assert_num_queries):
    run = make_run(scored=False)
    with django_assert_num_queries(3):
        samples = make_samples(run=run, answers=stored_answers(run=run))
    assert len(samples) == 8
    assert {sample.ranks_asked for sample in samples} == {run.pipeline["top_k"]}


def test_a_run_without_answers_has_no_scores_and_says_why():
    run = make_run(make_testset(drafts=[]))
    rows = {row.metric: row for row in run.current_scoring.metrics.all()}
    assert rows["recall"].reason == "there are no simple questions"
    assert {row.mean for row in rows.values()} == {None}


def test_repeats_of_a_question_count_as_one_pair():
    once, thrice = make_run(), make_run(repeat=3)
    first, second = (run.current_scoring.metrics.get(metric="recall", group="") for run in (once, thrice))
    assert (first.n, second.n) == (3, 9)
    assert (first.ci_low, first.ci_high) == pytest.approx((second.ci_low, second.ci_high))


def test_the_file_is_written_unasked(data_dir):
    run = make_run()
    assert (data_dir / "runs" / str(run.pk) / "eval.csv").read_text().startswith("question_id,pair_id,kind,")
