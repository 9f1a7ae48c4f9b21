"""Runs as rows of tables and dots of charts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Count, Q

from evaluation.models import Answer, Run, RunMetric, Scoring, TestSet
from evaluation.queries.rows import RunRow
from evaluation.types import Summary
from rag_pipeline.models import BackgroundTask, Corpus


def run_rows(
    *,
    corpus: Corpus | None = None,
    testset: TestSet | None = None,
    archived: bool = False,
) -> list[RunRow]:
    """Return runs, newest first, with settings, state and current scores. `archived` includes archived ones."""
    runs = Run.objects.select_related("corpus", "testset__corpus", "task").order_by("-id")
    if corpus is not None:
        runs = runs.filter(corpus=corpus)
    if testset is not None:
        runs = runs.filter(testset=testset)
    if not archived:
        runs = runs.filter(archived=False)
    return rows_of(runs)


def rows_of(runs: Iterable[Run]) -> list[RunRow]:
    """Return the rows of some runs in three queries beside their own."""
    runs = list(runs)
    scorings = {each.run_id: each for each in Scoring.objects.filter(run__in=runs, current=True)}
    metrics = _whole_run_metrics([each.pk for each in scorings.values()])
    counts = {
        run: (answers, failed)
        for run, answers, failed in Answer.objects.filter(run__in=runs)
        .order_by()
        .values_list("run")
        .annotate(answers=Count("id"), failed=Count("id", filter=~Q(error="")))
    }
    return [_row(run, scorings.get(run.pk), metrics, counts.get(run.pk, (0, 0))) for run in runs]


def summary_of(row: RunMetric) -> Summary:
    """Return a stored summary as a value."""
    return Summary(row.mean, row.ci_low, row.ci_high, row.n, row.n_null, row.reason, row.details)


def _whole_run_metrics(scorings: Sequence[int]) -> dict[int, dict[str, Summary]]:
    found: dict[int, dict[str, Summary]] = {}
    for row in RunMetric.objects.filter(scoring__in=scorings, group="").order_by("id"):
        found.setdefault(row.scoring_id, {})[row.metric] = summary_of(row)
    return found


def _row(run: Run, scoring: Scoring | None, metrics: dict[int, dict[str, Summary]], counts: tuple[int, int]) -> RunRow:
    evaluation: dict[str, Any] = scoring.spec if scoring else {}
    return RunRow(
        run=run,
        settings=run.pipeline,
        evaluation=evaluation,
        state=run.task.state if run.task else BackgroundTask.State.DONE.value,
        error=run.task.error if run.task else "",
        answers=counts[0],
        failed=counts[1],
        metrics=metrics.get(scoring.pk, {}) if scoring else {},
        prompts=scoring.prompts if scoring else {},
        formulas=scoring.formulas if scoring else {},
    )
