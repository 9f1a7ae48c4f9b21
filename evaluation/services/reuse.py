"""Answers that an earlier run already has: the same settings, questions and documents are not asked twice."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q, QuerySet

from evaluation.models import Answer, Run
from rag_pipeline.models import Document

KEPT_FROM = "kept_from"
"""In the details of an answer: the run that it was taken from."""
_COPIED = tuple(
    field.name for field in Answer._meta.concrete_fields if field.name not in ("id", "run", "question", "details")
)


def earlier_runs(run: Run) -> list[Run]:
    """Return the runs whose answers are what this one would answer, the newest first.

    The same settings on the same version of the test set and the same documents, by the same versions of the packages;
    retrieval alone holds no answers. A run that asks afresh takes nothing over.
    """
    if run.afresh or run.contexts_origin:
        return []
    same = Run.objects.filter(
        corpus=run.corpus_id,
        testset=run.testset_id,
        pipeline_fingerprint=run.pipeline_fingerprint,
        contexts_from=None,
        contexts_run="",
        created__lte=run.created,
    ).exclude(pk=run.pk)
    if not run.retrieval_only:
        same = same.filter(retrieval_only=False)
    newest = Document.objects.filter(corpus=run.corpus_id, created__lte=run.created).order_by("-created").first()
    found = [each for each in same.order_by("-id") if newest is None or each.created >= newest.created]
    return [each for each in found if each.versions == run.versions]


def known_answers(runs: Collection[Run]) -> QuerySet[Answer]:
    """Return the good answers of some runs."""
    return Answer.objects.filter(run__in=runs, error="")


def take_over_answers(*, run: Run, wanted: Collection[tuple[int, int]]) -> int:
    """Copy what earlier runs have answered of `wanted`, (question, repeat); return how many answers that were."""
    donors = earlier_runs(run)
    stored = set(run.answers.values_list("question_id", "repeat"))
    missing = set(wanted) - stored
    if not donors or not missing:
        return 0
    among = Q(question__in={question for question, _ in missing})
    found: dict[tuple[int, int], Answer] = {}
    for answer in known_answers(donors).filter(among).order_by("run_id"):
        key = (answer.question_id, answer.repeat)
        if key in missing:
            found[key] = answer
    copies = [
        Answer(
            run=run,
            question_id=answer.question_id,
            details=answer.details | {KEPT_FROM: answer.details.get(KEPT_FROM, answer.run_id)},
            **{name: getattr(answer, name) for name in _COPIED},
        )
        for answer in found.values()
    ]
    Answer.objects.bulk_create(copies, ignore_conflicts=True)
    return len(copies)
