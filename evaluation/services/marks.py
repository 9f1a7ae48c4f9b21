"""What people say of answers: right or wrong, grounded or not. Marks belong to answers and outlive every scoring."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluation.exchange.csv_cells import to_csv
from evaluation.models import MARKED_ASPECTS, Answer, AnswerMark, MetricScore, Run
from evaluation.services.files import further_metrics
from evaluation.spec import HEADLINE
from rag_pipeline.errors import ConfigError

_COLUMNS = ("question_id", "repeat", "kind", "question", "reference_answer", "answer", *MARKED_ASPECTS)


def set_mark(*, answer: Answer, aspect: str, value: bool | None) -> None:
    """Mark an answer, change its mark, or take it back (None). Raises ConfigError for what cannot be marked."""
    if aspect not in MARKED_ASPECTS:
        raise ConfigError(f"An answer is marked as {' or '.join(MARKED_ASPECTS)}, not as “{aspect}”.", "aspect")
    if answer.error:
        raise ConfigError("This question failed: there is no answer to mark. Ask it again first.", "answer")
    if value is None:
        AnswerMark.objects.filter(answer=answer, aspect=aspect).delete()
    else:
        AnswerMark.objects.update_or_create(answer=answer, aspect=aspect, defaults={"value": value})


def marks_csv(*, run: Run) -> bytes:
    """Return the marked answers of a run with their marks and, to compute with, the current value of each metric."""
    names = (*HEADLINE, *further_metrics(run))
    return to_csv((*_COLUMNS, *names), _rows(run, names))


def _rows(run: Run, names: tuple[str, ...]) -> Iterator[list[Any]]:
    answers = (
        Answer.objects.filter(run=run, pk__in=AnswerMark.objects.filter(answer__run=run).values("answer"))
        .select_related("question")
        .prefetch_related("marks")
        .defer("contexts", "prompt")
        .order_by("question__position", "question_id", "repeat")
    )
    scores: dict[tuple[int, str], float | None] = {}
    stored = MetricScore.objects.filter(scoring__run=run, scoring__current=True, metric__in=names)
    for answer_id, metric, value in stored.values_list("answer_id", "metric", "value"):
        scores[answer_id, metric] = value
    for answer in answers:
        question, marks = answer.question, {mark.aspect: mark.value for mark in answer.marks.all()}
        yield [
            question.question_id,
            answer.repeat,
            question.kind,
            question.text,
            question.reference,
            answer.text,
            *(marks.get(aspect) for aspect in MARKED_ASPECTS),
            *(scores.get((answer.pk, name)) for name in names),
        ]
