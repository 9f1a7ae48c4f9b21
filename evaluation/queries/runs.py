"""Runs as rows of tables and dots of charts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from django.db.models import BooleanField, Count, Prefetch, QuerySet, TextField
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast

from evaluation.models import Answer, Run, RunMetric, Scoring, TestSet
from evaluation.queries.rows import RunChoice, RunRow
from evaluation.spec import EvaluationSpec, RunOptions
from evaluation.types import Summary
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import BackgroundTask, Corpus
from rag_pipeline.settings.pipeline_spec import PipelineSpec

_SUMMARY = ("metric", "mean", "ci_low", "ci_high", "n", "n_null", "reason")
_FAILED = RawSQL("NOT (error = '')", (), output_field=BooleanField())
"""Failed answers, in the letters of their index: SQLite would not see by a parameter that it serves."""

_SCORED = ("run", "pk", "spec", "prompts", "formulas")
_UNSCORED: tuple[Any, ...] = (0, 0, {}, {}, {})
_FEW = 20


class _Ended(NamedTuple):
    state: str
    error: str


_TASK = Run._meta.get_field("task")
_DONE = _Ended(BackgroundTask.State.DONE.value, "")
"""A run without a task has come to its end."""


def run_rows(
    *,
    corpus: Corpus | None = None,
    testset: TestSet | None = None,
    archived: bool = False,
) -> list[RunRow]:
    """Return runs, newest first, with settings, state and current scores. `archived` includes archived ones."""
    runs = Run.objects.order_by("-id")
    if corpus is not None:
        runs = runs.filter(corpus=corpus)
    if testset is not None:
        runs = runs.filter(testset=testset)
    if not archived:
        runs = runs.filter(archived=False)
    return rows_of(_with_testsets(runs))


def find_run(*, wanted: str, testset: TestSet | None = None, field: str = "run") -> Run | None:
    """Return the run of that id or name, of a test set or of all; None where there is none.

    Raises ConfigError, naming `field`, where several have the name.
    """
    runs = Run.objects.select_related("task")
    if testset is not None:
        runs = runs.filter(testset=testset)
    wanted = wanted.strip()
    found = list(runs.filter(name=wanted).order_by("pk")) if wanted else []
    number = wanted.lower().removeprefix("run").strip()
    if not found and number.isdecimal():
        found = list(runs.filter(pk=int(number)))
    if len(found) > 1:
        ids = ", ".join(str(run.pk) for run in found)
        raise ConfigError(f"Several runs are called “{wanted}”. Give the id of one: {ids}.", field)
    return found[0] if found else None


def with_current_scoring(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Return runs that hold their current scoring: for pages that show it, not for work that makes another."""
    current = Scoring.objects.filter(current=True)
    return runs.prefetch_related(Prefetch("scorings", queryset=current, to_attr="loaded_scorings"))


def runs_to_choose(*, testset: TestSet | None = None) -> list[RunChoice]:
    """Return the scored runs to choose from, newest first: those of a test set that are not archived, or all."""
    runs = Run.objects.filter(scorings__current=True).order_by("-id")
    if testset is not None:
        runs = runs.filter(testset=testset, archived=False)
    found = list(runs.values_list("pk", "name", "testset", "pipeline", "archived", "baseline"))
    testsets = TestSet.objects.only("name", "version").in_bulk({each[2] for each in found})
    called = {pk: str(each) for pk, each in testsets.items()}
    return [
        RunChoice(pk, name or f"Run {pk}", called[asked], settings, archived, baseline)
        for pk, name, asked, settings, archived, baseline in found
    ]


def _with_testsets(runs: QuerySet[Run]) -> list[Run]:
    """Return runs with test set and corpus; joined, a test set and its report would be read for every run."""
    found = list(runs.defer("versions", "notes", "evaluation").prefetch_related("testset__corpus"))
    for run in found:
        if run.corpus_id == run.testset.corpus_id:
            run.corpus = run.testset.corpus
    return found


def rows_of(runs: Iterable[Run]) -> list[RunRow]:
    """Return the rows of some runs in at most five queries beside their own; their summaries are without details."""
    runs = list(runs)
    ids = [run.pk for run in runs]
    tasks = _ends_of(runs)  # before the scores: a run that is done shows those that it ended with
    scorings = _current_scorings(ids)
    metrics = _whole_run_metrics([each[1] for each in scorings.values()])
    states = {run.pk: tasks.get(run.task_id or 0, _DONE) for run in runs}
    counts = _counts(runs, states)
    return [
        _row(run, states[run.pk], scoring, metrics.get(scoring[1], {}), counts[run.pk])
        for run in runs
        for scoring in [scorings.get(run.pk, _UNSCORED)]
    ]


def _counts(runs: Sequence[Run], states: Mapping[int, _Ended]) -> dict[int, tuple[int, int]]:
    """Return how many answers each run has, and how many of them failed; what is done has kept that with the run."""
    kept = {
        run.pk: (run.took["answers"] + run.took["failed"], run.took["failed"])
        for run in runs
        if states[run.pk].state == _DONE.state and "failed" in run.took
    }
    rest = [run.pk for run in runs if run.pk not in kept]
    asked = Answer.objects.filter(run__in=rest).order_by().values_list("run").annotate(Count("id"))
    answers, failed = dict(asked), dict(asked.filter(_FAILED))
    return kept | {pk: (answers.get(pk, 0), failed.get(pk, 0)) for pk in rest}


def _current_scorings(runs: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """Return what `_SCORED` names of each run's scoring. Most runs are scored alike: what is written alike is one."""
    texts = {name: Cast(name, TextField()) for name in _SCORED[2:]}
    rows = Scoring.objects.filter(run__in=runs, current=True).values_list(*_SCORED[:2], *texts.values())
    read = cache(json.loads)
    return {run: (run, pk, *map(read, values)) for run, pk, *values in rows}


def _ends_of(runs: Sequence[Run]) -> dict[int, _Ended]:
    """Return how the tasks of runs stand, by id; as a run holds its task, where it holds one."""
    found = {run.task.pk: _Ended(run.task.state, run.task.error) for run in runs if _TASK.is_cached(run) and run.task}
    missing = [run.task_id for run in runs if run.task_id and run.task_id not in found]
    if missing:
        rows = BackgroundTask.objects.filter(pk__in=missing).values_list("pk", "state", "error")
        found |= {pk: _Ended(*each) for pk, *each in rows}
    return found


def summary_of(row: RunMetric) -> Summary:
    """Return a stored summary as a value."""
    return Summary(row.mean, row.ci_low, row.ci_high, row.n, row.n_null, row.reason, row.details)


def _whole_run_metrics(scorings: Sequence[int]) -> dict[int, dict[str, Summary]]:
    found: dict[int, dict[str, Summary]] = {}
    rows = RunMetric.objects.filter(scoring__in=scorings, group="").order_by("id").values_list("scoring", *_SUMMARY)
    for scoring, metric, *values in rows:
        found.setdefault(scoring, {})[metric] = Summary(*values)
    return found


def _row(
    run: Run, task: _Ended, scoring: tuple[Any, ...], metrics: dict[str, Summary], counts: tuple[int, int]
) -> RunRow:
    _, _, evaluation, prompts, formulas = scoring
    return RunRow(
        run=run,
        settings=run.pipeline,
        evaluation=evaluation,
        state=task.state,
        error=task.error,
        answers=counts[0],
        failed=counts[1],
        metrics=metrics,
        prompts=prompts,
        formulas=formulas,
    )


def run_with(
    *,
    testset: TestSet,
    spec: PipelineSpec,
    evaluation: EvaluationSpec,
    options: RunOptions,
    contexts_from: Run | None,
) -> Run | None:
    """Return the last run that came to its end with just these settings on this test set; None without one."""
    asked = options.model_dump(exclude={"afresh"})
    runs = Run.objects.filter(
        testset=testset,
        pipeline_fingerprint=spec.fingerprint,
        contexts_from=contexts_from,
        archived=False,
        task__state=BackgroundTask.State.DONE,
        scorings__current=True,
        **asked,
    )
    latest_first = runs.order_by("-pk").iterator(chunk_size=_FEW)  # nearly always the first of them is it
    return next((run for run in latest_first if EvaluationSpec.create(run.evaluation) == evaluation), None)
