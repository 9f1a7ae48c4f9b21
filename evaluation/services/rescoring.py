"""Scoring a run again in the background: from its stored answers, asking the pipeline nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db import transaction

from evaluation.metrics.availability import check_options
from evaluation.models import Run
from evaluation.services.judging import check_judge
from evaluation.services.scoring import score_run_in_steps
from evaluation.spec import EvaluationSpec
from rag_pipeline.background.handlers import TaskHandler, UnitsDone, handler
from rag_pipeline.background.tasks import enqueue
from rag_pipeline.embedders.base import check_embedding
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import BackgroundTask, WorkUnit
from rag_pipeline.types import Progress

State = BackgroundTask.State


@handler
class ScoreAgain(TaskHandler):
    """One unit: the new scoring appears whole or not at all, and the earlier ones stay."""

    kind = "score_again"
    stages = ("score",)
    labels = {"score": "Scoring"}

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone | Progress]:
        """Score with the settings that were asked for. Raises ConfigError, ProviderError."""
        run = Run.objects.select_related("corpus", "testset").get(pk=self.task.payload["run"])
        yield from score_run_in_steps(run=run, spec=EvaluationSpec.create(self.task.payload["spec"]))
        _settle(run)
        yield UnitsDone(keys)


def _settle(run: Run) -> None:
    """Take a run as done that ended while it was scored: all is answered, and what was lacking is there now."""
    if run.task is None:
        return
    ended = BackgroundTask.objects.filter(pk=run.task.pk, state__in=(State.FAILED, State.CANCELLED))
    unscored = ended.filter(stage="score")
    if unscored.update(state=State.DONE, error="", cancel_requested=False):
        run.task.units.filter(stage="score").update(state=WorkUnit.State.DONE, lease_until=None)


def start_scoring_again(*, run: Run, spec: EvaluationSpec) -> BackgroundTask:
    """Queue the scoring of a run's stored answers. Raises ConfigError while the run or another scoring works."""
    check_embedding(spec.eval_embedding, "eval_embedding")
    check_judge(spec)
    check_options(spec)
    with transaction.atomic():
        held = Run.objects.select_for_update().get(pk=run.pk)
        if held.task is not None and held.task.active:
            raise ConfigError(f"{held} is still running. Score it again when it has ended.")
        earlier = held.scoring_task
        if earlier is not None and earlier.active:
            raise ConfigError(f"{held} is being scored again already. Wait until that has ended, or cancel it.")
        task = enqueue(ScoreAgain.kind, {"run": held.pk, "spec": spec.model_dump(mode="json")})
        Run.objects.filter(pk=held.pk).update(scoring_task=task)
        if earlier is not None:
            earlier.delete()
    run.scoring_task = task
    return task
