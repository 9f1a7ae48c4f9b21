"""Runs of retrieval alone: all questions in one call, nothing is answered, what was found is scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from asgiref.sync import async_to_sync
from django.db import transaction

from evaluation.exchange.base import RunResults
from evaluation.models import Answer, MetricScore, Question, Run
from evaluation.queries.stored_answers import PASSAGES, with_evidence
from evaluation.scoring.retrieval import score_retrieval
from evaluation.scoring.scoring import ScoredSamples
from evaluation.services.bulk import insert_rows
from evaluation.services.files import write_results
from evaluation.services.retrieval_facts import retrieval_facts
from evaluation.services.storing import new_scoring
from evaluation.services.took import store_what_answers_took
from evaluation.spec import EvaluationSpec
from evaluation.types import Sample
from rag_pipeline.errors import ProviderError
from rag_pipeline.pipeline.retrieval import Retrieved, contexts_of
from rag_pipeline.services.pipelines import open_retrieval
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Query, SourceDoc, Trace

_ANSWER = (
    "run", "question", "repeat", "text", "contexts", "prompt", "latency_s", "prompt_tokens", "completion_tokens",
    "cost_usd", "error", "details",
)  # fmt: skip
_SCORE = ("scoring", "answer", "metric", "value", "reason", "details")


def retrieve_run(*, run: Run, spec: PipelineSpec, questions: Sequence[Question]) -> None:
    """Retrieve for questions (with their evidence), score what was found, and store all of it or nothing.

    What the run held before is replaced. Raises ConfigError, ProviderError.
    """
    evaluation = EvaluationSpec.create(run.evaluation)
    retrieval = open_retrieval(corpus=run.corpus, spec=spec, until=run.created)
    queries = [Query(each.text, each.evidence_spans) for each in questions]
    found = async_to_sync(retrieval.retrieve_many)(queries)
    failures = [each.error for each in found if each.error is not None]
    if failures and len(failures) == len(found):
        raise ProviderError(f"No question could be answered. {failures[0]}")
    samples = retrieved_samples(questions, found, retrieval.documents, spec)
    scored = score_retrieval(samples, evaluation)
    run.chunks = len(retrieval.retriever.index) if spec.needs_chunks else None
    run.facts = retrieval_facts(run=run, spec=spec, samples=samples)
    with transaction.atomic():
        run.save()
        run.answers.all().delete()
        _store(run, questions, found, scored, evaluation)
        store_what_answers_took(run=run)
    values = [
        (sample, {name: column[at].value for name, column in scored.scores.items()})
        for at, sample in enumerate(samples)
    ]
    write_results(run=run, results=RunResults(values, tuple(evaluation.metrics)))


def retrieved_samples(
    questions: Sequence[Question],
    found: Sequence[Retrieved],
    documents: Mapping[int, SourceDoc],
    spec: PipelineSpec,
) -> list[Sample]:
    """Return what was found for each question as the metrics see it."""
    texts = {key: each.text for key, each in documents.items()}
    return [
        with_evidence(
            question,
            _trace(question, each, documents),
            texts | {passage.id: passage.text for passage in each.passages},
            ranks_asked=spec.core.top_k,
        )
        for question, each in zip(questions, found, strict=True)
    ]


def _trace(question: Question, found: Retrieved, documents: Mapping[int, SourceDoc]) -> Trace:
    """Return what was found as a trace without an answer; the time is that of retrieval alone."""
    return Trace(
        question=question.text,
        answer="",
        contexts=contexts_of(found.hits, documents, found.passages),
        passages=found.passages,
        latency_s=found.seconds,
        usage=found.usage,
        error=str(found.error or ""),
    )


def _store(
    run: Run,
    questions: Sequence[Question],
    found: Sequence[Retrieved],
    scored: ScoredSamples,
    evaluation: EvaluationSpec,
) -> None:
    insert_rows(Answer, _ANSWER, map(_answer, [run] * len(questions), questions, found, scored.samples))
    answers = dict(run.answers.order_by().values_list("question_id", "pk"))
    places = [answers[question.pk] for question in questions]
    scoring = new_scoring(run=run, spec=evaluation, scored=scored)
    insert_rows(
        MetricScore,
        _SCORE,
        (
            (scoring.pk, answer, name, score.value, score.reason, score.details)
            for name, column in scored.scores.items()
            for answer, score in zip(places, column, strict=True)
        ),
    )


def _answer(run: Run, question: Question, found: Retrieved, sample: Sample) -> tuple[object, ...]:
    details: dict[str, object] = {"steps": [step.as_json() for step in found.steps]} if len(found.steps) > 1 else {}
    if found.passages:
        details[PASSAGES] = [passage.as_json() for passage in found.passages]
    contexts = [each.as_json() for each in sample.trace.contexts]
    usage = found.usage
    taken = (found.seconds, usage.prompt_tokens, usage.completion_tokens, usage.cost_usd)
    return (run.pk, question.pk, 0, "", contexts, "", *taken, sample.trace.error, details)
