"""Runs: what one will cost, starting, stopping, keeping and deleting them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet, prefetch_related_objects

from evaluation.experiments.pace import EMBED_PER_S, READER_S, START_S, Pace
from evaluation.experiments.race import mixed_order
from evaluation.metrics.availability import check_options
from evaluation.models import Question, Run, TestSet
from evaluation.services.contexts import check_source, with_retrieval_of
from evaluation.services.judging import check_judge
from evaluation.services.paces import pace_of
from evaluation.services.tuning import seen_in_tuning
from evaluation.services.versions import versions
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.background import tasks as background
from rag_pipeline.embedders.base import check_embedding
from rag_pipeline.errors import ConfigError, InUseError
from rag_pipeline.llm.preflight import check_model
from rag_pipeline.models import BackgroundTask, Corpus
from rag_pipeline.services import indexes
from rag_pipeline.services.pipelines import check_parts
from rag_pipeline.settings.pipeline_spec import PipelineSpec

QUICK_QUESTIONS = 10


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What a run will do: questions to ask, chunks and how many texts to embed, model calls, seconds or None, and
    about how many calls of the judge, which come on top. `cost_usd` and `tokens` of the answers; None where nobody
    knows.

    `chunks` is None where they are only known after sentences are embedded: `to_embed` counts those then. `piloted`:
    the model had answered nothing yet, and a few questions showed what it takes.
    """

    questions: int
    chunks: int | None
    to_embed: int
    calls: int
    seconds: float | None
    judge_calls: int = 0
    cost_usd: float | None = None
    tokens: int | None = None
    piloted: bool = False


def asked_questions(*, testset: TestSet, options: RunOptions, mixed: bool = False) -> list[Question]:
    """Return the questions that a run asks: of the split, not rejected, of the first `limit` pairs.

    Out-of-scope questions are no pairs. They come in the share that they have in the whole, since knowledge bounding
    needs both kinds; where there is nothing else, the limit counts them. `mixed`: the first are as mixed as all are,
    by document and kind, rather than the first of the file.
    """
    questions = testset.questions.exclude(status=Question.Status.REJECTED)
    if options.split != "all":
        questions = questions.filter(split=options.split)
    if options.limit is None:
        return list(questions)
    return _first(_mixed(questions) if mixed else list(questions), options.limit)


def questions_of(run: Run) -> list[Question]:
    """Return the questions of a run; retrieval alone has nothing to find for those that are out of scope."""
    options = RunOptions(split=run.split, limit=run.limit, repeat=run.repeat)  # type: ignore[arg-type]
    return sweep_questions(
        testset=run.testset, options=options, retrieval_only=run.retrieval_only, mixed=run.sweep_id is not None
    )


def sweep_questions(
    *, testset: TestSet, options: RunOptions, retrieval_only: bool, mixed: bool = True
) -> list[Question]:
    """Return the questions that the runs of a sweep ask, with their evidence at hand where nothing else is asked."""
    questions = asked_questions(testset=testset, options=options, mixed=mixed)
    if not retrieval_only:
        return questions
    answerable = [each for each in questions if each.answerable]
    prefetch_related_objects(answerable, "evidence")
    return answerable


def _mixed(questions: QuerySet[Question]) -> list[Question]:
    """Return questions in an order of which every beginning holds its share of each document and kind."""
    members: dict[str, list[Question]] = {}
    strata: dict[str, tuple[object, ...]] = {}
    for each in questions.prefetch_related("evidence"):
        key = each.pair_id if each.answerable else each.question_id
        members.setdefault(key, []).append(each)
        documents = [one.document_id for one in each.evidence.all()[:1]]
        known = strata.get(key, ())
        strata[key] = (*known, each.kind, each.transformation, *documents)
    return [each for key in mixed_order(strata) for each in members[key]]


def _first(questions: list[Question], limit: int) -> list[Question]:
    inside = list(dict.fromkeys(each.pair_id for each in questions if each.answerable))
    outside = [each.pk for each in questions if not each.answerable]
    share = max(1, int(limit * len(outside) / len(inside) + 0.5)) if inside else limit
    pairs, declined = set(inside[:limit]), set(outside[:share])
    return [each for each in questions if (each.pair_id in pairs if each.answerable else each.pk in declined)]


def quick_options(*, testset: TestSet, options: RunOptions) -> RunOptions:
    """Return options that ask about ten questions: as many whole pairs as come nearest to that, from the front."""
    everything = asked_questions(testset=testset, options=options.model_copy(update={"limit": None}))
    limit = min(range(1, QUICK_QUESTIONS + 1), key=lambda pairs: abs(len(_first(everything, pairs)) - QUICK_QUESTIONS))
    return options.model_copy(update={"limit": limit})


def estimate_run(
    *,
    corpus: Corpus,
    testset: TestSet,
    spec: PipelineSpec,
    options: RunOptions,
    contexts_from: Run | None = None,
    evaluation: EvaluationSpec | None = None,
) -> RunEstimate:
    """Count what a run will do, loading no model. Raises ConfigError where it could not be started."""
    asked = asked_questions(testset=testset, options=options)
    questions = len(asked) * options.repeat
    index, before = indexes.IndexEstimate(0, 0), 0
    if contexts_from is not None:
        check_source(source=contexts_from, testset=testset, questions=asked)
    else:
        check_parts(spec)
        before = spec.calls_before_answer()
        index = indexes.estimate(corpus=corpus, spec=spec) if spec.needs_chunks else index
    calls = 0 if spec.is_builtin_reader else questions * (1 + before)
    contexts = spec.core.top_k if spec.core.use_context else 0
    references = [len(question.reference_answers) for question in asked if question.reference_answers] or [1]
    from evaluation.scoring.expected_calls import expected_calls  # which knows all that a judge is asked

    judged = expected_calls(evaluation, questions, contexts, fmean(references)) if evaluation else 0
    pace = pace_of(spec.core.llm).for_settings(spec) if calls else None
    seconds = _seconds(spec, questions, index.to_embed, pace) if not judged else None
    estimate = RunEstimate(questions, index.chunks, index.to_embed, calls, seconds, judged)
    return estimate if pace is None else _with_pace(estimate, pace)


def _with_pace(estimate: RunEstimate, pace: Pace) -> RunEstimate:
    cost = None if pace.cost_usd is None else estimate.questions * pace.cost_usd
    tokens = None if pace.tokens is None else round(estimate.questions * pace.tokens)
    return replace(estimate, cost_usd=cost, tokens=tokens, piloted=pace.piloted)


def _seconds(spec: PipelineSpec, questions: int, to_embed: int, pace: Pace | None) -> float | None:
    start = START_S + to_embed / EMBED_PER_S
    if spec.is_builtin_reader:
        return start + questions * READER_S
    return None if pace is None or pace.seconds is None else start + questions * pace.seconds / settings.CONCURRENCY


def start_run(
    *,
    corpus: Corpus,
    testset: TestSet,
    spec: PipelineSpec,
    evaluation: EvaluationSpec,
    options: RunOptions,
    name: str = "",
    contexts_from: Run | None = None,
    inline: bool = False,
) -> Run:
    """Store a run and queue its work. Raises ConfigError before any work when it cannot be right.

    `contexts_from`: a finished run of the same questions. Its contexts are given to the model, and its retrieval
    settings take the place of those in `spec`.
    """
    questions = check_askable(corpus, testset, options)
    if contexts_from is not None:
        check_source(source=contexts_from, testset=testset, questions=questions)
        spec = with_retrieval_of(contexts_from, spec)
    else:
        check_parts(spec)
    check_model(spec.core.llm)
    check_embedding(evaluation.eval_embedding, "eval_embedding")
    check_judge(evaluation)
    check_options(evaluation)
    with transaction.atomic():
        run = Run.objects.create(
            corpus=corpus,
            testset=testset,
            name=name.strip()[:120],
            pipeline=spec.settings,
            pipeline_fingerprint=spec.fingerprint,
            evaluation=evaluation.model_dump(),
            **options.model_dump(),
            contexts_from=contexts_from,
            contexts_run=str(contexts_from or ""),
            versions=versions(),
            notes=seen_in_tuning(testset=testset, settings=spec.settings, split=options.split),
        )
        run.task = background.enqueue("evaluate", {"run": run.pk}, inline=inline)
        run.save(update_fields=["task"])
    return run


def check_askable(corpus: Corpus, testset: TestSet, options: RunOptions) -> list[Question]:
    """Return the questions that a run asks. Raises ConfigError where there are none, or none yet."""
    if testset.corpus_id != corpus.pk:
        raise ConfigError(
            f"The test set “{testset}” belongs to the corpus “{testset.corpus}”. Choose it, or another test set.",
            "testset",
        )
    if testset.task is not None and testset.task.active:
        raise ConfigError(f"The test set “{testset}” is still being generated. Wait until it is ready.", "testset")
    if not corpus.documents.exists():
        raise ConfigError(f"The corpus “{corpus.name}” has no documents. Upload some first.", "corpus")
    questions = asked_questions(testset=testset, options=options)
    if not questions:
        raise ConfigError(
            f"The test set “{testset}” has no question to ask here. Choose another split, or add questions.", "testset"
        )
    return questions


def resume_run(*, run: Run) -> None:
    """Let a failed or cancelled run go on, or ask again what failed in a finished one; good answers stay.

    Raises ConfigError when there is nothing to go on with.
    """
    task = run.task
    if task is None or task.active or (task.state == BackgroundTask.State.DONE and not task.failures):
        raise ConfigError(f"{run} has nothing left to do.")
    background.resume(task)


def delete_run(*, run: Run) -> None:
    """Delete a run with its answers, scores and files. Raises InUseError while it works."""
    from evaluation.queries.preferences import preferences_with

    compared = [each.task for each in preferences_with(run).select_related("task")]
    if _any_active(compared):
        raise InUseError(f"A judge is comparing {run} with another run. Wait for it or cancel it first.")
    tasks = (run.task, run.scoring_task)
    if _any_active(tasks):
        raise InUseError(f"{run} is still running. Cancel it first.")
    if _any_active(user.task for user in run.runs_on_its_contexts.select_related("task")):
        raise InUseError(f"Another run is answering from the contexts of {run}. Wait for it or cancel it first.")
    folder = Path(settings.DATA_DIR) / "runs" / str(run.pk)
    run.delete()
    for task in filter(None, (*tasks, *compared)):
        task.delete()
    shutil.rmtree(folder, ignore_errors=True)


def _any_active(tasks: Iterable[BackgroundTask | None]) -> bool:
    return any(task is not None and task.active for task in tasks)


def archive_run(*, run: Run, archived: bool) -> None:
    """Take a run out of lists and charts, or bring it back; nothing is lost."""
    Run.objects.filter(pk=run.pk).update(archived=archived)
    run.archived = archived


def pin_baseline(*, run: Run, pinned: bool) -> None:
    """Make a run the one that others of its test set are compared with, in place of another; or no longer."""
    with transaction.atomic():
        Run.objects.filter(testset=run.testset_id, baseline=True).update(baseline=False)
        Run.objects.filter(pk=run.pk).update(baseline=pinned)
    run.baseline = pinned


def rename_run(*, run: Run, name: str, note: str, tags: Sequence[str]) -> None:
    """Give a run a name, a note and tags."""
    run.name, run.note, run.tags = name.strip()[:120], note.strip(), list(tags)
    run.save(update_fields=["name", "note", "tags"])


def tag_run(*, run: Run, tag: str, wanted: bool = True) -> None:
    """Give a run a tag, or take it away."""
    run.tags = [each for each in run.tags if each != tag] + [tag] * wanted
    run.save(update_fields=["tags"])
