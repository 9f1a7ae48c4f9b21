"""Sweeps from start to recommendation: nothing asked twice, one bad configuration alone, races, confirmation."""

from __future__ import annotations

import csv
import io
import json

import pytest

from evaluation.experiments.options import SweepOptions, SweepSpec
from evaluation.models import Answer, Run
from evaluation.queries.stored_answers import KEPT_FROM
from evaluation.queries.sweep_table import sweep_table
from evaluation.services.runs import questions_of, start_run
from evaluation.services.sweep_files import sweep_csv, sweep_json
from evaluation.services.sweeps import (
    confirm_sweep,
    delete_sweep,
    plan_sweep,
    read_grid,
    resume_sweep,
)
from evaluation.services.testsets import set_status
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.background.tasks import request_cancel, run_inline
from rag_pipeline.errors import ConfigError, InUseError
from rag_pipeline.pipeline.retrieval import Retrieval
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.evaluation.sweeps import BASE, CHAT, begun, done, many_pairs, spec_of, swept
from tests.factories import WORDS, make_testset
from tests.fake_openai import Behaviour

pytestmark = pytest.mark.django_db(transaction=True)


def test_every_configuration_is_an_ordinary_run_with_all_scores():
    sweep = swept(make_testset(), {"chunk_size": "100,300", "top_k": "1,2"})
    assert sweep.runs.count() == 4
    table = sweep_table(sweep)
    assert [row.state for row in table.rows] == ["done"] * 4
    assert table.score == "total"
    assert all(row.metrics["recall"].mean is not None for row in table.rows)
    assert sorted(row.verdict.word for row in table.rows).count("best") == 1
    assert table.recommendation.reason
    assert {row.n for row in table.rows} == {8}
    assert {run.created for run in sweep.runs.all()} == {sweep.created}  # all see the corpus as it was then


def test_retrieval_alone_asks_no_model_and_scores_what_was_found(fake_openai):
    sweep = swept(make_testset(), {"chunk_size": "60,400"}, CHAT, retrieval_only=True)
    assert fake_openai.bodies() == []
    table = sweep_table(sweep)
    assert table.score == "context_matching"
    assert list(table.scores) == ["context_matching", "hit_rate", "mrr", "span_precision", "span_iou"]
    for row in table.rows:
        assert row.n == 6  # out of scope there is nothing to find
        assert row.calls == 0
        assert row.context_tokens > 0
        assert all(row.metrics[name].mean is not None for name in table.scores)
        assert "recall" not in row.metrics
    small, large = table.rows
    assert small.context_tokens < large.context_tokens
    assert small.metrics["span_precision"].mean > large.metrics["span_precision"].mean


def test_the_scores_of_retrieval_alone_are_those_of_a_whole_run():
    testset = make_testset()
    table = sweep_table(swept(testset, {"chunk_size": "120"}, retrieval_only=True))
    metrics = table.spec.scored_by.metrics
    whole = start_run(
        corpus=testset.corpus,
        testset=testset,
        spec=PipelineSpec.create(BASE | {"chunk_size": 120}),
        evaluation=EvaluationSpec(eval_embedding=WORDS, metrics=metrics),
        options=RunOptions(),
    )
    run_inline(whole.task)
    rows = {row.metric: row for row in whole.current_scoring.metrics.filter(group="")}
    for name in table.scores:
        found = table.rows[0].metrics[name]
        assert (found.mean, found.ci_low, found.ci_high) == (rows[name].mean, rows[name].ci_low, rows[name].ci_high)


def test_borders_that_cut_evidence_are_counted():
    """Chunks of 50 characters hold none of the three sentences (of 84, 94 and 81 characters) whole; one chunk holds
    all of them.
    """
    rows = sweep_table(swept(make_testset(), {"chunk_size": "50,2000"}, retrieval_only=True)).rows
    assert [row.border_cut for row in rows] == [1.0, 0.0]


def test_a_second_identical_sweep_makes_no_call(fake_openai):
    testset = make_testset()
    first = swept(testset, {"chunk_size": "100,300"}, CHAT)
    asked = len(fake_openai.bodies())
    assert asked == 16
    second = swept(testset, {"chunk_size": "100,300"}, CHAT)
    assert len(fake_openai.bodies()) == asked
    rows = sweep_table(second).rows
    assert [(row.calls, row.reused) for row in rows] == [(0, 8), (0, 8)]
    plan = plan_sweep(corpus=testset.corpus, testset=testset, spec=spec_of({"chunk_size": "100,300,200"}, CHAT))
    assert plan.calls == 8
    assert [(each.total, each.there) for each in plan.stages] == [(3, 2), (24, 16), (24, 16)]
    means = [[row.metrics["total"].mean for row in sweep_table(each).rows] for each in (first, second)]
    assert means[0] == means[1]


def test_an_earlier_run_that_is_just_the_same_is_taken_as_it_is():
    testset = make_testset()
    first = swept(testset, {"chunk_size": "120"}).runs.get()
    again = swept(testset, {"chunk_size": "120,200"})
    assert list(again.taken.all()) == [first]
    assert [row.run for row in sweep_table(again).rows] == [first, again.runs.get()]
    other = SweepSpec(
        BASE, read_grid({"chunk_size": "120"}), SweepOptions(), EvaluationSpec(eval_embedding=WORDS, metrics=("mrr",)),
        RunOptions(),
    )  # fmt: skip
    scored_otherwise = done(begun(testset, other))
    assert not scored_otherwise.taken.exists()
    assert scored_otherwise.runs.get().answers.filter(details__has_key=KEPT_FROM).count() == 8
    delete_sweep(sweep=again)
    assert Run.objects.filter(pk=first.pk).exists()


def test_a_run_with_a_failed_answer_is_not_taken():
    testset = make_testset()
    first = swept(testset, {"chunk_size": "120"}).runs.get()
    broken = first.answers.order_by("id").first()
    first.answers.filter(pk=broken.pk).update(error="The server did not answer.")
    again = swept(testset, {"chunk_size": "120"})
    assert not again.taken.exists()
    assert again.runs.get().answers.exclude(error="").count() == 0


def test_answers_of_other_documents_settings_or_versions_are_not_taken(fake_openai):
    testset = make_testset()
    swept(testset, {"chunk_size": "300"}, CHAT)
    asked = len(fake_openai.bodies())
    Run.objects.update(versions={"python": "2.7"})
    sweep = swept(testset, {"chunk_size": "300"}, CHAT)
    assert not Answer.objects.filter(details__has_key=KEPT_FROM).exists()
    assert sweep_table(sweep).rows[0].reused == 8  # the model was asked the same all the same: its replies are kept
    swept(testset, {"chunk_size": "300"}, CHAT, RunOptions(afresh=True))
    assert len(fake_openai.bodies()) == asked + 8


def test_one_configuration_that_cannot_work_fails_alone(fake_openai):
    testset = make_testset()
    fake_openai.when("Nay", Behaviour(status=404, error={"message": "No such model", "code": "model_not_found"}))
    prompts = json.dumps([f"{answer}: {{context}} {{question}}" for answer in ("Yea", "Nay")])
    sweep = swept(testset, {"prompt": prompts}, CHAT)
    rows = sweep_table(sweep).rows
    assert sorted(row.state for row in rows) == ["done", "failed"]
    assert sweep.task.failures == 1
    assert "has no model called" in next(row.error for row in rows if row.state == "failed")
    assert len(sweep_table(sweep).scored) == 1
    fake_openai.reset()
    resume_sweep(sweep=sweep)
    done(sweep)
    assert [row.state for row in sweep_table(sweep).rows] == ["done", "done"]
    with pytest.raises(ConfigError, match="nothing left"):
        resume_sweep(sweep=sweep)


def test_a_paused_sweep_goes_on_where_it_was(fake_openai):
    sweep = begun(make_testset(), spec_of({"chunk_size": "100,200,300"}, CHAT))

    def stop(task) -> None:
        if Answer.objects.filter(run__sweep=sweep).exists():
            request_cancel(task)

    assert run_inline(sweep.task, stop).state == "cancelled"
    assert sweep.runs.filter(task__state="done").count() < 3
    assert Answer.objects.filter(run__sweep=sweep).exists()
    sweep.refresh_from_db()
    resume_sweep(sweep=sweep)
    done(sweep)
    asked = [json.dumps(body, sort_keys=True) for body in fake_openai.bodies()]
    assert len(asked) - len(set(asked)) < 24  # asked again is only what was in flight
    assert Answer.objects.filter(run__sweep=sweep, error="").count() == 24
    assert [row.state for row in sweep_table(sweep).rows] == ["done"] * 3


def test_a_pause_is_heard_in_the_middle_of_a_configuration(fake_openai):
    """The server stays silent, the sweep is cancelled meanwhile: it ends, and its run with it."""
    fake_openai.next(*[Behaviour.hang()] * 8)
    sweep = begun(make_testset(), spec_of({"chunk_size": "100,200"}, CHAT))

    def stop(_) -> None:
        request_cancel(sweep.task)

    assert run_inline(sweep.task, stop).state == "cancelled"
    assert not sweep.runs.filter(task__state__in=("queued", "running")).exists()


def test_a_race_lets_go_of_what_is_clearly_behind_and_asks_mixed_pairs():
    testset = many_pairs()
    sweep = swept(testset, {"top_k": "1,8", "chunk_size": "20,45"}, retrieval_only=True, search="race")
    table = sweep_table(sweep)
    gone = [row for row in table.rows if row.dropped]
    assert gone
    assert all(row.dropped >= 20 for row in gone)
    assert all(row.state == "dropped" for row in gone)
    assert all(row.n == row.dropped for row in gone)
    assert table.recommended not in gone
    assert 0 < table.saved < 1
    documents = {answer.question.evidence.get().document_id for answer in gone[0].run.answers.all()}
    assert len(documents) == 2  # the first pairs of the file are all of one document


def test_a_limit_in_a_sweep_takes_from_every_document():
    testset = many_pairs()
    sweep = begun(testset, spec_of({"top_k": "1"}, run=RunOptions(limit=12), retrieval_only=True))
    run = Run(corpus=testset.corpus, testset=testset, sweep=sweep, limit=12, retrieval_only=True)
    documents = [question.evidence.get().document.name for question in questions_of(run)]
    assert len(documents) == 12
    assert documents.count("blue.txt") == 3


def test_prompts_share_the_retrieval_and_are_told_apart_by_name(fake_openai):
    sweep = swept(make_testset(), {"prompt": "Concise,Always answer"}, CHAT)
    table = sweep_table(sweep)
    assert [row.configuration.swept["prompt"] for row in table.rows] == ["Concise", "Always answer"]
    assert len({row.contexts for row in table.rows}) == 1
    assert not any("changed no ranking" in each for each in table.recommendation.remarks)  # prompts never do


def test_confirming_asks_both_once_on_holdout():
    testset = make_testset()
    testset.questions.filter(pair_id__in=("p3", "o2")).update(split="holdout")
    sweep = swept(testset, {"chunk_size": "60,90"}, run=RunOptions(split="tune"), confirm=True)
    table = sweep_table(sweep)
    assert [row.run.split for row in table.confirmations] == ["holdout", "holdout"]
    assert {row.answers for row in table.confirmations} == {3}
    assert table.recommended.holdout_total is not None
    assert table.seen == []
    assert {row.n for row in table.rows} == {5}
    with pytest.raises(ConfigError, match="confirmed already"):
        confirm_sweep(sweep=sweep, number=1)
    later = swept(testset, {"chunk_size": "70"}, run=RunOptions(split="tune"))
    assert len(sweep_table(later).seen) == 2
    confirm_sweep(sweep=later, number=1)
    done(later)
    assert len(sweep_table(later).confirmations) == 2


def test_what_saw_holdout_cannot_be_confirmed():
    testset = make_testset()
    with pytest.raises(ConfigError, match="sees holdout"):
        begun(testset, spec_of({"chunk_size": "60"}, confirm=True))
    with pytest.raises(ConfigError, match="no holdout"):
        begun(testset, spec_of({"chunk_size": "60"}, run=RunOptions(split="tune"), confirm=True))


def test_an_empty_test_set_is_refused():
    testset = make_testset()
    set_status(questions=list(testset.questions.all()), status="rejected")
    with pytest.raises(ConfigError, match="no question"):
        plan_sweep(corpus=testset.corpus, testset=testset, spec=spec_of({"chunk_size": "60"}))
    outside = make_testset()
    set_status(questions=list(outside.questions.exclude(kind="out_of_scope")), status="rejected")
    with pytest.raises(ConfigError, match="evidence"):
        plan_sweep(corpus=outside.corpus, testset=outside, spec=spec_of({"chunk_size": "60"}, retrieval_only=True))


def test_the_files_have_a_row_for_each_configuration():
    sweep = swept(make_testset(), {"retriever": "dense,hybrid", "hybrid_weight": "0.5"}, retrieval_only=True)
    table = sweep_table(sweep)
    rows = list(csv.DictReader(io.StringIO(sweep_csv(table).decode())))
    assert list(rows[0])[:5] == ["retriever", "hybrid_weight", "run", "state", "n"]
    assert list(rows[0])[-12:] == [
        "context_tokens", "border_cut", "latency_p50", "cost_usd", "calls", "reused",
        "difference", "difference_low", "difference_high", "p_holm", "verdict", "holdout_total",
    ]  # fmt: skip
    assert rows[0]["hybrid_weight"] == ""
    assert {"best"} <= {row["verdict"] for row in rows}
    whole = json.loads(sweep_json(table))
    assert set(whole) >= {"plan", "settings", "rows", "recommendation"}
    assert set(whole["recommendation"]) >= {"settings", "reason", "confirmed"}
    assert whole["recommendation"]["confirmed"] is None
    assert len(whole["rows"]) == 2


def test_no_key_is_stored_with_a_sweep(fake_openai):
    sweep = swept(make_testset(), {"max_tokens": "64"}, CHAT)
    stored = json.dumps([sweep.spec, sweep.plan, sweep.state, *[run.pipeline for run in sweep.runs.all()]])
    assert fake_openai.own_key not in stored


def test_deleting_a_sweep_keeps_its_runs():
    sweep = begun(make_testset(), spec_of({"chunk_size": "60"}))
    with pytest.raises(InUseError):
        delete_sweep(sweep=sweep)
    done(sweep)
    runs = sweep.runs.count()
    delete_sweep(sweep=sweep)
    assert Run.objects.count() == runs


def test_prompts_are_asked_at_the_same_time_and_retrieve_once(fake_openai, monkeypatch):
    """Three prompts of 8 questions; the server answers nobody before 24 calls are in flight."""
    retrieved: list[int] = []
    retrieve = Retrieval.retrieve_many

    async def counted(self, queries):
        retrieved.append(len(queries))
        return await retrieve(self, queries)

    monkeypatch.setattr(Retrieval, "retrieve_many", counted)
    fake_openai.always = Behaviour(together=24)
    prompts = json.dumps([f"{answer}: {{context}} {{question}}" for answer in ("One", "Two", "Three")])
    rows = sweep_table(swept(make_testset(), {"prompt": prompts}, CHAT)).rows
    assert [row.calls for row in rows] == [8, 8, 8]
    assert retrieved == [8]


def test_a_guided_search_tries_so_many_configurations_as_runs_like_all_others():
    grid = {"chunk_size": "60..300 + 40", "top_k": "1..8 + 1", "chunk_overlap": "0,10%,500"}
    sweep = swept(make_testset(), grid, search="guided", trials=6, retrieval_only=True)
    table = sweep_table(sweep)
    assert [row.state for row in table.rows] == ["done"] * 6
    assert sweep.runs.count() == 6
    assert sum(row.verdict.word == "best" for row in table.rows) == 1
    assert all(row.configuration.swept["chunk_overlap"] != "500" for row in table.rows)  # larger than any chunk
    assert sweep.plan["configurations"] <= 6
    assert json.loads(sweep_json(table))["rows"][0]["run"] in {run.pk for run in sweep.runs.all()}
