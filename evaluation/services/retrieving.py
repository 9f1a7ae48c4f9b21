"""Runs of retrieval alone: all questions in one call, nothing is answered, what was found is scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from asgiref.sync import async_to_sync

from evaluation.models import Answer, Question, Run
from evaluation.queries.stored_answers import PASSAGES, make_samples, stored_answers
from evaluation.scoring.retrieval import score_retrieval
from evaluation.scoring.scoring import ScoredSamples
from evaluation.spec import EvaluationSpec
from rag_pipeline.pipeline.retrieval import Retrieved, contexts_of
from rag_pipeline.services.pipelines import open_retrieval
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Progress, Query

STEP = "Retrieving"


def retrieve_run(*, run: Run, spec: PipelineSpec, questions: Sequence[int]) -> Iterator[Progress]:
    """Store what is found for each question, by id, as an answer without a text; what is there stays.

    Raises ConfigError, ProviderError.
    """
    yield Progress(STEP, 0, len(questions))
    there = set(run.answers.filter(error="").values_list("question_id", flat=True))
    asked = Question.objects.prefetch_related("evidence").in_bulk([each for each in questions if each not in there])
    queries = [Query(each.text, tuple(one.span for one in each.evidence.all())) for each in asked.values()]
    retrieval = open_retrieval(corpus=run.corpus, spec=spec, until=run.created)
    found = async_to_sync(retrieval.retrieve_many)(queries) if queries else []
    run.answers.filter(question__in=asked).delete()
    Answer.objects.bulk_create(
        [
            Answer(run=run, question_id=key, **_fields(each, retrieval.documents))
            for key, each in zip(asked, found, strict=True)
        ],
        ignore_conflicts=True,
    )
    yield Progress(STEP, len(questions), len(questions))


def _fields(found: Retrieved, documents: object) -> dict[str, object]:
    """Return what was found as columns of `Answer`; the time is that of retrieval alone."""
    details: dict[str, object] = {"steps": [step.as_json() for step in found.steps]} if len(found.steps) > 1 else {}
    if found.passages:
        details[PASSAGES] = [passage.as_json() for passage in found.passages]
    return {
        "contexts": [each.as_json() for each in contexts_of(found.hits, documents)],  # type: ignore[arg-type]
        "latency_s": found.seconds,
        "prompt_tokens": found.usage.prompt_tokens,
        "completion_tokens": found.usage.completion_tokens,
        "cost_usd": found.usage.cost_usd,
        "error": str(found.error or ""),
        "details": details,
    }


def scored_retrieval(*, run: Run, spec: EvaluationSpec) -> tuple[list[Answer], ScoredSamples]:
    """Return a run's answers with the scores of what was retrieved for them."""
    answers = stored_answers(run=run)
    return answers, score_retrieval(make_samples(run=run, answers=answers), spec)
