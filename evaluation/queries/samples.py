"""Stored answers as the metrics see them: contexts and evidence cut from their documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from evaluation.models import Answer, Evidence, Run
from evaluation.repeats import repeats_of
from evaluation.types import Sample
from rag_pipeline.models import Document
from rag_pipeline.types import Context, Span, Trace, Usage


def stored_answers(*, run: Run) -> list[Answer]:
    """Return a run's answers with question and evidence loaded, in the order of the test set."""
    return list(
        Answer.objects.filter(run=run)
        .select_related("question")
        .prefetch_related("question__evidence")
        .order_by("question__position", "question_id", "repeat")
    )


def make_samples(*, run: Run, answers: Sequence[Answer]) -> list[Sample]:
    """Return answers as the metrics see them; context texts are cut from their documents."""
    texts = texts_for(answers)
    top_k = run.pipeline.get("top_k")
    return [replace(_sample(answer, texts), ranks_asked=int(top_k) if top_k else None) for answer in answers]


def texts_for(answers: Iterable[Answer]) -> dict[int, str]:
    """Return the text of every document that the answers' contexts and evidence point into, by id, in one query."""
    wanted: set[int] = set()
    for answer in answers:
        wanted.update(context["document_id"] for context in answer.contexts)
        wanted.update(evidence.document_id for evidence in answer.question.evidence.all())
    return dict(Document.objects.filter(pk__in=wanted).values_list("pk", "text"))


def trace_of(answer: Answer, texts: dict[int, str]) -> Trace:
    """Return a stored answer as the pipeline's trace."""
    return Trace(
        question=answer.question.text,
        answer=answer.text,
        contexts=tuple(context_of(context, texts) for context in answer.contexts),
        prompt=answer.prompt,
        latency_s=answer.latency_s,
        ttft_s=answer.ttft_s,
        usage=Usage(answer.prompt_tokens, answer.completion_tokens, answer.cost_usd),
        error=answer.error,
        details=answer.details,
    )


def context_of(stored: dict[str, Any], texts: dict[int, str]) -> Context:
    """Return a stored context with its text."""
    span = Span(stored["document_id"], stored["start"], stored["end"])
    text = texts.get(span.document_id, "")[span.start : span.end]
    return Context(span, stored["document"], text, stored["score"], stored["rank"], stored.get("page"))


def evidence_span(evidence: Evidence) -> Span:
    """Return a stored evidence as a span."""
    return Span(evidence.document_id, evidence.start, evidence.end)


def _sample(answer: Answer, texts: dict[int, str]) -> Sample:
    question = answer.question
    trace = trace_of(answer, texts)
    spans = tuple(evidence_span(evidence) for evidence in question.evidence.all())
    evidence_texts = tuple(texts[span.document_id][span.start : span.end] for span in spans)
    retrieved = [context.span for context in trace.contexts]
    return Sample(
        question_id=question.question_id,
        pair_id=question.pair_id,
        kind=question.kind,
        trace=trace,
        reference_answers=tuple(question.reference_answers),
        evidence=spans,
        evidence_texts=evidence_texts,
        equivalents=repeats_of(spans, evidence_texts, retrieved, texts),
        transformation=question.transformation,
        error=question.error,
        repeat=answer.repeat,
        metadata=question.metadata,
    )
