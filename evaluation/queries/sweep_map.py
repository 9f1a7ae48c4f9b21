"""Questions by configurations: which question was solved by which settings, and which by none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.models import Question
from evaluation.queries.differences import load_scores_of
from evaluation.queries.sweep_table import SweepRow, SweepTable
from evaluation.queries.sweeps import mean_of
from evaluation.scoring.diagnosis.losses import PRIMARY
from evaluation.scoring.retrieval import BY_EVIDENCE

SOLVED = 0.5
"""Score from which on a question counts as solved."""


@dataclass(frozen=True)
class MappedQuestion:
    """A question with its score in each configuration, in order; None where it was not asked or not scored."""

    question: Question
    values: Sequence[float | None]

    @property
    def solved(self) -> int:
        """By how many configurations it was solved."""
        return sum(value is not None and value >= SOLVED for value in self.values)

    @property
    def asked(self) -> int:
        """By how many configurations it was asked and scored."""
        return sum(value is not None for value in self.values)


@dataclass(frozen=True)
class QuestionMap:
    """All questions, those that few configurations solve first; columns as in `rows`, the best first."""

    rows: Sequence[SweepRow]
    questions: Sequence[MappedQuestion]

    @property
    def never(self) -> list[MappedQuestion]:
        """The questions that no configuration solves."""
        return [each for each in self.questions if each.asked and not each.solved]

    @property
    def always(self) -> list[MappedQuestion]:
        """The questions that every configuration solves: they tell nothing apart."""
        return [each for each in self.questions if each.asked and each.solved == each.asked]

    @property
    def flips(self) -> list[MappedQuestion]:
        """The questions by which the settings differ."""
        return [each for each in self.questions if 0 < each.solved < each.asked]


def question_map(table: SweepTable) -> QuestionMap:
    """Return the map of a sweep: context matching without answers, else recall, robustness or knowledge bounding."""
    rows = sorted(table.scored, key=lambda row: -float((mean_of(row.row, table.score) if row.row else None) or 0.0))
    found: dict[int, Question] = {}
    values: dict[int, dict[int, float]] = {}
    loaded = load_scores_of(row.run for row in rows if row.run)
    for column, row in enumerate(rows):
        assert row.run is not None
        scored = loaded[row.run.pk]
        for key, question in scored.questions.items():
            found[question.pk] = question
            metric = BY_EVIDENCE if table.spec.options.retrieval_only else PRIMARY[question.kind]
            value = scored.values.get(key, {}).get(metric)
            if value is not None:
                values.setdefault(question.pk, {})[column] = value
    questions = [
        MappedQuestion(each, [values.get(pk, {}).get(column) for column in range(len(rows))])
        for pk, each in found.items()
    ]
    questions.sort(key=lambda each: (each.solved, sum(value or 0 for value in each.values), each.question.position))
    return QuestionMap(rows, questions)
