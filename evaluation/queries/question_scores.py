"""Scores of single questions, of some runs at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import QuerySet

from evaluation.models import MetricScore, Question, Run


def values_by_question(runs: Iterable[Run], metric: str) -> dict[int, list[float]]:
    """Return a metric's values by question of each run, by its id; repeats count by themselves."""
    runs = list(runs)
    found: dict[int, list[float]] = {run.pk: [] for run in runs}
    rows = _current(runs).filter(metric=metric, value__isnull=False).order_by("answer__question__position")
    for run, value in rows.values_list("scoring__run", "value"):
        found[run].append(value or 0.0)
    return found


def scores_of_question(
    runs: Iterable[Run], question: Question, names: Sequence[str]
) -> dict[int, dict[str, float | None]]:
    """Return the scores of the first answer to one question in each run, by the run's id."""
    found: dict[int, dict[str, float | None]] = {}
    rows = _current(list(runs)).filter(
        answer__question__question_id=question.question_id, answer__repeat=0, metric__in=names
    )
    for run, metric, value in rows.values_list("scoring__run", "metric", "value"):
        found.setdefault(run, {})[metric] = value
    return found


def _current(runs: Sequence[Run]) -> QuerySet[MetricScore]:
    return MetricScore.objects.filter(scoring__run__in=runs, scoring__current=True)
