"""Which answers of a run are marked, and which one to mark next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from evaluation.models import MARKED_ASPECTS, REFUSED, Answer, AnswerMark, MetricScore, Run

Marks = dict[str, bool]
"""By aspect; one that is missing is not marked."""


@dataclass(frozen=True, slots=True)
class MarkCount:
    """How many answers are marked for one aspect, how many of them as right (grounded), and how many could be."""

    aspect: str
    marked: int
    positive: int
    markable: int


def marks_of(answer_id: int) -> Marks:
    """Return the marks of an answer."""
    return dict(AnswerMark.objects.filter(answer=answer_id).values_list("aspect", "value"))


def mark_counts(run: Run) -> list[MarkCount]:
    """Return what is marked of a run, aspect by aspect."""
    asked = askable(run)
    marks = list(AnswerMark.objects.filter(answer__run=run).values_list("aspect", "value"))
    return [
        MarkCount(
            aspect,
            sum(each == aspect for each, _ in marks),
            sum(each == aspect and value for each, value in marks),
            sum(aspect in aspects for aspects in asked.values()),
        )
        for aspect in MARKED_ASPECTS
    ]


def askable(run: Run) -> dict[int, tuple[str, ...]]:
    """Return the answers of a run that can be marked, by id, with what is asked of each.

    A failed question has no answer. Whether it is grounded is asked only of answers with contexts that do not decline:
    a refusal says nothing that could be grounded.
    """
    answers = Answer.objects.filter(run=run, error="").order_by()
    with_contexts = set(answers.exclude(contexts=[]).values_list("pk", flat=True))
    refused = MetricScore.objects.filter(scoring__run=run, scoring__current=True, metric=REFUSED, value=1)
    speaking = with_contexts - set(refused.values_list("answer_id", flat=True))
    return {
        pk: tuple(aspect for aspect in MARKED_ASPECTS if aspect != AnswerMark.Aspect.GROUNDED or pk in speaking)
        for pk in answers.values_list("pk", flat=True)
    }


def shuffled(answers: Sequence[int], seed: int = 0) -> list[int]:
    """Return answers in an order that says nothing about them and that is the same every time."""
    return sorted(answers, key=lambda pk: sha256(f"{seed}:{pk}".encode()).digest())


def next_to_mark(run: Run, aspects: Sequence[str] = MARKED_ASPECTS, after: int | None = None) -> int | None:
    """Return the id of the next answer that lacks one of the marks `aspects`; None when all have theirs.

    The order is shuffled, so that what is marked first is a fair sample. After `after`, which was skipped, the others
    come first.
    """
    asked = askable(run)
    given = set(AnswerMark.objects.filter(answer__run=run).values_list("answer_id", "aspect"))
    order = shuffled(list(asked))
    if after in asked:
        start = order.index(after) + 1
        order = order[start:] + order[:start]
    lacking = (pk for pk in order if any(aspect in asked[pk] and (pk, aspect) not in given for aspect in aspects))
    return next(lacking, None)


def last_marked(run: Run, other_than: int | None = None) -> int | None:
    """Return the id of the answer whose mark was set last, to go back to it."""
    marks = AnswerMark.objects.filter(answer__run=run).exclude(answer=other_than).order_by("-changed", "-pk")
    return marks.values_list("answer_id", flat=True).first()
