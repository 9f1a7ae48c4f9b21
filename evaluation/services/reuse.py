"""Answers that an earlier run already has: the same settings, questions and documents are not asked twice."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

from django.db.models import Max, Q, QuerySet

from evaluation.experiments.options import SweepSpec
from evaluation.models import Answer, Run, Scoring, Sweep
from evaluation.queries.stored_answers import KEPT_FROM
from evaluation.scoring.comparability import formulas_in_force
from evaluation.services.versions import versions
from evaluation.spec import HEADLINE
from rag_pipeline.models import BackgroundTask, Document
from rag_pipeline.retrievers.base import retrievers

_COPIED = tuple(
    field.name for field in Answer._meta.concrete_fields if field.name not in ("id", "run", "question", "details")
)


def earlier_runs(run: Run) -> list[Run]:
    """Return the runs whose answers are what this one would answer, the newest first.

    The same settings on the same version of the test set and the same documents, by the same versions of the packages;
    retrieval alone holds no answers. A run that asks afresh takes nothing over, nor does one whose retriever is the
    user's own: what stands behind its name may have changed.
    """
    if run.afresh or run.contexts_origin or not _repeatable(run):
        return []
    same = Run.objects.filter(
        corpus=run.corpus_id,
        testset=run.testset_id,
        pipeline_fingerprint=run.pipeline_fingerprint,
        contexts_from=None,
        contexts_run="",
        created__lte=run.created,
        created__gte=_newest_document(run.corpus_id, run.created),
        retrieval_only=False,
    ).exclude(pk=run.pk)
    return [each for each in same.order_by("-id") if each.versions == run.versions]


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


def runs_to_take(*, sweep: Sweep, spec: SweepSpec, fingerprints: Collection[str], split: str) -> dict[str, Run]:
    """Return earlier runs that are just what a sweep would make, by fingerprint of their settings: nothing is done
    again.

    They ended without a failure, on the same questions and documents by the same versions, and were scored the same
    way. With a judge there is none: its prompts may have changed (its replies are kept all the same).
    """
    run, evaluation = spec.run, spec.scored_by
    if run.afresh or evaluation.judge:
        return {}
    found = Run.objects.filter(
        corpus=sweep.corpus_id,
        testset=sweep.testset_id,
        pipeline_fingerprint__in=fingerprints,
        split=split,
        limit=run.limit,
        repeat=run.repeat,
        retrieval_only=spec.options.retrieval_only,
        contexts_from=None,
        contexts_run="",
        created__gte=_newest_document(sweep.corpus_id, sweep.created),
    ).exclude(sweep=sweep)
    if run.limit is not None:
        found = found.exclude(sweep=None)  # the first pairs of a sweep are mixed, those of a run the file's
    ended = Q(task=None) | Q(task__state=BackgroundTask.State.DONE, task__failures=0)
    scorings = Scoring.objects.filter(
        run__in=found.filter(ended).values("pk"),
        current=True,
        spec=evaluation.model_dump(mode="json"),
        formulas=formulas_in_force((*HEADLINE, evaluation.agreement, *evaluation.metrics)),
    )
    runs = [each.run for each in scorings.select_related("run__task").order_by("run_id")]
    runs = [each for each in runs if each.versions == versions() and _repeatable(each)]
    failed = set(Answer.objects.filter(run__in=runs).exclude(error="").values_list("run", flat=True))
    return {each.pipeline_fingerprint: each for each in runs if each.pk not in failed}


def _repeatable(run: Run) -> bool:
    retriever = retrievers.find(str(run.pipeline.get("retriever")))
    return retriever is None or retriever.repeatable


def _newest_document(corpus: int, until: dt.datetime) -> dt.datetime:
    """Return when the corpus was last added to, before a time."""
    newest = Document.objects.filter(corpus=corpus, created__lte=until).aggregate(newest=Max("created"))["newest"]
    return newest or dt.datetime.min.replace(tzinfo=dt.UTC)
