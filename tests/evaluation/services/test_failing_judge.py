"""A judge that cannot be asked: what needs none is kept and shown, the rest can be had later."""

from __future__ import annotations

import threading

import pytest
from django.db import connection
from django.test import Client

from evaluation.models import Run
from evaluation.services import runs
from evaluation.services.rescoring import start_scoring_again
from evaluation.spec import HEADLINE, EvaluationSpec, RunOptions
from rag_pipeline.background import tasks as background
from rag_pipeline.background.tasks import run_inline
from rag_pipeline.errors import ProviderError
from rag_pipeline.models import BackgroundTask
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.factories import WORDS, make_run, make_testset, score_run
from tests.fake_openai import Behaviour, FakeOpenAI

pytestmark = pytest.mark.django_db(transaction=True)
JUDGED = EvaluationSpec(eval_embedding=WORDS, metrics=("judge_score", "token_f1"), judge="openai:judge-1")


def ended(spec: EvaluationSpec = JUDGED) -> Run:
    testset = make_testset()
    run = runs.start_run(
        corpus=testset.corpus,
        testset=testset,
        spec=PipelineSpec.create({"embedding": WORDS, "chunk_size": 300}),
        evaluation=spec,
        options=RunOptions(),
    )
    run_inline(run.task)
    return Run.objects.get(pk=run.pk)


def means(run: Run) -> dict[str, float | None]:
    assert run.current_scoring is not None
    return dict(run.current_scoring.metrics.filter(group="").values_list("metric", "mean"))


def page(run: Run) -> str:
    return Client().get(f"/runs/{run.pk}/").content.decode()


def test_a_fresh_run_keeps_its_headline_scores_and_its_judge_is_asked_when_it_goes_on(fake_openai: FakeOpenAI) -> None:
    fake_openai.key = "another"
    run = ended()
    assert run.task.state == "failed"
    assert "The judge failed" in run.task.error
    assert "OPENAI_API_KEY" in run.task.error
    found = means(run)
    assert all(found[name] is not None for name in (*HEADLINE, "token_f1"))
    assert found["judge_score"] is None
    lost = run.current_scoring.scores.filter(metric="judge_score")
    assert all("OPENAI_API_KEY" in score.reason for score in lost)
    html = page(run)
    assert "all other scores are there" in html
    assert "Score with these" in html
    fake_openai.key = ""
    background.resume(run.task)
    assert run_inline(run.task).state == "done"
    assert means(run)["judge_score"] is not None


def test_scored_again_without_the_judge_the_run_is_done(fake_openai: FakeOpenAI) -> None:
    fake_openai.key = "another"
    run = ended()
    task = start_scoring_again(run=run, spec=JUDGED.model_copy(update={"judge": "", "metrics": ("token_f1",)}))
    assert run_inline(task).state == "done"
    run.task.refresh_from_db()
    assert (run.task.state, run.task.error) == ("done", "")
    assert "judge_score" not in means(run)
    assert "The judge failed" not in page(run)


def test_a_run_that_was_cancelled_while_it_was_judged_can_be_scored_without(fake_openai: FakeOpenAI) -> None:
    run = ended()
    run.scorings.all().delete()
    BackgroundTask.objects.filter(pk=run.task.pk).update(state="cancelled")
    run = Run.objects.get(pk=run.pk)
    assert "Score with these" in page(run)
    run_inline(start_scoring_again(run=run, spec=JUDGED.model_copy(update={"judge": "", "metrics": ()})))
    assert Run.objects.get(pk=run.pk).task.state == "done"
    assert means(run)["recall"] is not None


def test_cancelling_does_not_wait_for_a_judge_that_is_silent(fake_openai: FakeOpenAI) -> None:
    run = make_run()
    before = run.current_scoring
    fake_openai.always = Behaviour.hang()
    task = start_scoring_again(run=run, spec=JUDGED)

    over = threading.Event()

    def cancel() -> None:
        while not over.wait(0.01) and not fake_openai.in_flight:
            pass
        background.request_cancel(task)
        connection.close()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    ended = run_inline(task)
    over.set()
    canceller.join()
    assert ended.state == "cancelled"
    assert run.current_scoring == before


def test_a_later_scoring_that_the_judge_fails_leaves_the_earlier_one(fake_openai: FakeOpenAI) -> None:
    run = make_run()
    before = run.current_scoring
    fake_openai.key = "another"
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        score_run(run=run, spec=JUDGED)
    assert run.current_scoring == before
