"""Scoring again in the background: progress, the new scores, and nothing lost when it fails."""

from __future__ import annotations

import pytest

from evaluation.models import MetricScore, Scoring
from evaluation.services.files import write_run_file
from evaluation.services.rescoring import start_scoring_again
from evaluation.services.runs import delete_run
from evaluation.spec import EvaluationSpec
from rag_pipeline.background.tasks import request_cancel, run_inline
from rag_pipeline.errors import ConfigError, InUseError, ProviderError
from rag_pipeline.models import BackgroundTask
from tests.factories import WORDS, make_run, score_run

pytestmark = pytest.mark.django_db(transaction=True)
SEMANTIC = EvaluationSpec(eval_embedding=WORDS, agreement="semantic_similarity")


def stored(run):
    """Return everything that is stored of a run's scores, and its file."""
    return (
        list(Scoring.objects.filter(run=run).values()),
        list(MetricScore.objects.filter(scoring__run=run).order_by("pk").values()),
        write_run_file(run=run).read_bytes(),
    )


def test_it_waits_for_a_worker_then_the_new_scoring_is_current():
    run = make_run(answers={"p1s": "Cairo"})
    task = start_scoring_again(run=run, spec=SEMANTIC)
    assert run.scorings.count() == 1
    steps: list[tuple[str, int, int]] = []
    ended = run_inline(task, lambda now: steps.append((now.step, now.done, now.total)))
    assert ended.state == "done", ended.error
    assert steps[0] == ("Scoring", 0, 0)
    assert [("Scoring", done, 8) in steps for done in range(8)] == [True] * 8
    assert run.scorings.count() == 2
    assert run.current_scoring.spec == SEMANTIC.model_dump(mode="json")
    assert run.current_scoring.scores.count() == 8 * 7


def test_the_scores_are_those_of_the_command():
    first, second = make_run(answers={"p1s": "Cairo"}), make_run(answers={"p1s": "Cairo"})
    run_inline(start_scoring_again(run=first, spec=SEMANTIC))
    score_run(run=second, spec=SEMANTIC)
    columns = ("metric", "group", "mean", "ci_low", "ci_high", "n", "n_null")
    ours, theirs = (list(run.current_scoring.metrics.values_list(*columns)) for run in (first, second))
    assert ours == theirs


def test_a_failure_is_said_and_everything_stored_stays(monkeypatch):
    run = make_run()
    before = stored(run)

    def away(*_, **__):
        raise ProviderError("The embedding server did not answer. Start it, then score again.")

    monkeypatch.setattr(MetricScore.objects, "bulk_create", away)  # the latest moment: scores are being written
    ended = run_inline(start_scoring_again(run=run, spec=SEMANTIC))
    assert (ended.state, ended.error) == ("failed", "The embedding server did not answer. Start it, then score again.")
    assert stored(run) == before


def test_cancelling_keeps_the_earlier_scores():
    run = make_run()
    before = stored(run)
    ended = run_inline(start_scoring_again(run=run, spec=SEMANTIC), lambda now: now.total and request_cancel(now))
    assert ended.state == "cancelled"
    assert stored(run) == before


def test_only_one_at_a_time_and_an_ended_one_makes_room():
    run = make_run()
    first = start_scoring_again(run=run, spec=SEMANTIC)
    with pytest.raises(ConfigError, match="already"):
        start_scoring_again(run=run, spec=SEMANTIC)
    run_inline(first)
    second = start_scoring_again(run=run, spec=SEMANTIC)
    run.refresh_from_db()
    assert run.scoring_task == second
    assert list(BackgroundTask.objects.all()) == [second]


def test_a_run_that_still_works_is_not_scored_again():
    run = make_run(task=BackgroundTask.objects.create(kind="evaluate", state="running"))
    with pytest.raises(ConfigError, match="still running"):
        start_scoring_again(run=run, spec=SEMANTIC)


def test_a_run_is_deleted_after_its_scoring_not_during_it():
    run = make_run()
    task = start_scoring_again(run=run, spec=SEMANTIC)
    with pytest.raises(InUseError, match="still running"):
        delete_run(run=run)
    run_inline(task)
    run.refresh_from_db()
    delete_run(run=run)
    assert not BackgroundTask.objects.exists()
