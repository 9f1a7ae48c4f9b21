"""A run's scores by what the metadata of its questions say."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.base import metrics
from evaluation.models import Run
from evaluation.queries.answer_files import GroupRow, GroupTable
from evaluation.queries.answers import load_answer_scores
from evaluation.queries.stored_answers import sample_of, stored_answers
from evaluation.scoring.answered import group_keys
from evaluation.scoring.summaries import summarise_by
from evaluation.types import Score

_NOT_SCORED = Score(None, "not scored")


def metadata_keys(run: Run) -> list[str]:
    """Return the keys of the questions' metadata by which the run's scores can be told apart."""
    asked = run.testset.questions.filter(answers__run=run)
    return group_keys(asked.values_list("metadata", flat=True))


def scores_by(run: Run, key: str, shown: Sequence[str]) -> GroupTable:
    """Return the means of the metrics in `shown` by the values of a key; questions without the key are left out."""
    units = [unit for name in shown if (unit := metrics.find(name)) is not None]
    answers = [each for each in stored_answers(run=run) if key in each.question.metadata]
    stored = load_answer_scores(run, answers)
    columns = {unit.key: [stored.get(each.pk, {}).get(unit.key, _NOT_SCORED) for each in answers] for unit in units}
    groups = summarise_by([sample_of(each, {}) for each in answers], columns, key)
    return GroupTable(key, units, [GroupRow(value, found.rows, found.metrics) for value, found in groups.items()])
