"""Answering from the contexts of another run, so that prompts and models are compared on fixed ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from evaluation.models import Answer, Question, Run, TestSet
from evaluation.queries.runs import find_run
from evaluation.queries.stored_answers import passages_of
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import BackgroundTask
from rag_pipeline.setting_fields import Stage
from rag_pipeline.settings.catalogue import settings_of
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Hit, SourceDoc

FIELD = "contexts_from"
_LISTED = 20


def retrieval_names() -> set[str]:
    """Return the settings that decide which contexts are found."""
    return set(settings_of(Stage.INDEX, Stage.RETRIEVAL))


def runs_with_contexts(*, testset: TestSet | int) -> QuerySet[Run]:
    """Return the finished runs of a test set (or its id) that used contexts, newest first."""
    done = Run.objects.filter(testset=testset, task__state=BackgroundTask.State.DONE)
    return done.exclude(pipeline__use_context=False).select_related("task").order_by("-id")


def find_source(*, testset: TestSet, wanted: str) -> Run:
    """Return the run of a test set by id or name. Raises ConfigError listing those there are."""
    found = find_run(wanted=wanted, testset=testset, field=FIELD)
    if found is not None:
        return found
    offered = runs_with_contexts(testset=testset)[:_LISTED]
    there = ", ".join(f"{run.pk} ({run})" if run.name else str(run.pk) for run in offered)
    mend = f"There are: {there}." if there else "None of its runs has finished with contexts: evaluate one first."
    raise ConfigError(f"The test set “{testset}” has no run “{wanted}”, nor is there such a file. {mend}", FIELD)


def refuse_retrieval_settings(*, source: Run, given: Iterable[str]) -> None:
    """Refuse settings that would change nothing, because the contexts are there already. Raises ConfigError."""
    for name in given:
        if name in retrieval_names():
            raise ConfigError(f"{name} would change nothing: the contexts come from {source}. Leave it out.", name)


def with_retrieval_of(source: Run, spec: PipelineSpec) -> PipelineSpec:
    """Return `spec` with the retrieval settings of a run. Raises ConfigError where contexts would not be used."""
    if not spec.core.use_context:
        raise ConfigError(
            f"The contexts come from {source}, but Use context is off. Switch it on, or take contexts from no run.",
            "use_context",
        )
    later = settings_of(Stage.PROMPT, Stage.ANSWER)
    retrieval = {name: value for name, value in source.pipeline.items() if name not in later}
    answering = {name: value for name, value in spec.settings.items() if name in later}
    return PipelineSpec.create(retrieval | answering, retrieves=False)


def check_source(*, source: Run, testset: TestSet, questions: Sequence[Question]) -> None:
    """Refuse a run that has not the contexts of every question asked. Raises ConfigError with the mend."""
    if source.testset_id != testset.pk:
        raise ConfigError(
            f"{source} asked the questions of “{source.testset}”. Choose a run of “{testset}”, or that test set.", FIELD
        )
    if not source.pipeline.get("use_context", True):
        raise ConfigError(f"{source} used no context, so there is none to take. Choose another run.", FIELD)
    if source.task is not None and source.task.state != BackgroundTask.State.DONE:
        raise ConfigError(f"{source} has not finished. Wait for it or resume it, or choose another run.", FIELD)
    missing = len(questions) - len(stored_contexts(source=source, questions=[question.pk for question in questions]))
    if missing:
        raise ConfigError(
            f"{source} has no contexts for {missing} of the {len(questions)} questions asked. "
            "Ask fewer (split, limit), or choose a run that asked them all.",
            FIELD,
        )


@dataclass(frozen=True, slots=True)
class GivenContexts:
    """The contexts of a question, best first; `passages` are the texts among them that stand in no document."""

    hits: tuple[Hit, ...]
    passages: tuple[SourceDoc, ...] = ()


def stored_contexts(*, source: Run, questions: Sequence[int]) -> dict[int, GivenContexts]:
    """Return the contexts that a run gave to the model, by id of the question: those of its first answer.

    Where nothing was found they are empty; a question that failed before it had any is absent.
    """
    found: dict[int, GivenContexts] = {}
    answers = Answer.objects.filter(run=source, question__in=questions).order_by("repeat")
    for question, contexts, error, details in answers.values_list("question_id", "contexts", "error", "details"):
        if question not in found and (contexts or not error):
            hits = tuple(Hit.from_json(context) for context in contexts)
            found[question] = GivenContexts(hits, tuple(passages_of(details)))
    return found


def contexts_of(*, run: Run, questions: Sequence[int]) -> dict[int, GivenContexts] | None:
    """Return the given contexts of a run's questions; None for a run that retrieves. Raises ConfigError."""
    if not run.contexts_origin:
        return None
    if run.contexts_from is None:
        raise ConfigError(f"The contexts came from {run.contexts_origin}. Start a new run.")
    found = stored_contexts(source=run.contexts_from, questions=questions)
    if len(found) < len(set(questions)):
        raise ConfigError(f"{run.contexts_from} no longer has the contexts of every question. Start a new run.")
    return found
