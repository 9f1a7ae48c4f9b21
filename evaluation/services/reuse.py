"""Answers that an earlier run already has: the same settings, questions and documents are not asked twice."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.db import connection, transaction
from django.db.models import Q, QuerySet

from evaluation.models import Answer, MetricScore, Run, RunMetric, Scoring
from evaluation.spec import EvaluationSpec
from rag_pipeline.models import Document
from rag_pipeline.retrievers.base import retrievers

KEPT_FROM = "kept_from"
"""In the details of an answer: the run that it was taken from."""
_COPIED = tuple(
    field.name for field in Answer._meta.concrete_fields if field.name not in ("id", "run", "question", "details")
)


def earlier_runs(run: Run) -> list[Run]:
    """Return the runs whose answers are what this one would answer, the newest first.

    The same settings on the same version of the test set and the same documents, by the same versions of the packages;
    retrieval alone holds no answers. A run that asks afresh takes nothing over, nor does one whose retriever is the
    user's own: what stands behind its name may have changed.
    """
    retriever = retrievers.find(str(run.pipeline.get("retriever")))
    if run.afresh or run.contexts_origin or not (retriever is None or retriever.repeatable):
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


def take_over_scoring(*, run: Run, spec: EvaluationSpec, formulas: Mapping[str, int]) -> Scoring | None:
    """Copy the scores of the run that all answers were taken from; None where there is none such, or it scored
    otherwise.

    Nothing is judged here: with a judge, prompts may have changed meanwhile. The database copies the rows itself.
    """
    donor = _scored_alike(run, spec, formulas)
    if donor is None:
        return None
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        Scoring.objects.filter(run=run, current=True).update(current=False)
        scoring = Scoring.objects.create(run=run, spec=donor.spec, formulas=donor.formulas)
        scores, answers = (model._meta.db_table for model in (MetricScore, Answer))
        columns = "metric, value, reason, details"
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {scores} (scoring_id, answer_id, {columns}) "
                f"SELECT %s, mine.id, {', '.join(f'theirs.{name}' for name in columns.split(', '))} "
                f"FROM {scores} theirs JOIN {answers} old ON old.id = theirs.answer_id "
                f"JOIN {answers} mine ON mine.question_id = old.question_id AND mine.repeat = old.repeat "
                "WHERE theirs.scoring_id = %s AND mine.run_id = %s",
                [scoring.pk, donor.pk, run.pk],
            )
        RunMetric.objects.bulk_create([_copy_of(row, scoring) for row in donor.metrics.order_by("id")])
    return scoring


def _scored_alike(run: Run, spec: EvaluationSpec, formulas: Mapping[str, int]) -> Scoring | None:
    """Return the scoring of exactly these answers with exactly this way of scoring."""
    origins = set(run.answers.values_list(f"details__{KEPT_FROM}", flat=True))
    if len(origins) != 1 or None in origins or spec.judge:
        return None
    found = Scoring.objects.filter(run__in=origins, current=True).first()
    if found is None or found.spec != spec.model_dump(mode="json") or found.formulas != formulas:
        return None
    return found if found.run.answers.count() == run.answers.count() else None


def _copy_of(row: RunMetric, scoring: Scoring) -> RunMetric:
    names = [field.name for field in RunMetric._meta.concrete_fields if field.name not in ("id", "scoring")]
    return RunMetric(scoring=scoring, **{name: getattr(row, name) for name in names})
