"""Stored answers as the engine sees them: traces and samples, with the texts of their contexts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q

from evaluation.models import Answer, Question, Run
from evaluation.quotes import repeats_of
from evaluation.types import Sample
from rag_pipeline.queries.documents import document_texts
from rag_pipeline.types import Context, SourceDoc, Span, Trace, Usage

PASSAGES = "passages"
"""In the details of an answer: what it got that stands in no document."""

KEPT_FROM = "kept_from"
"""In the details of an answer: the run that it was taken from."""
KEPT = Q(details__has_key="kept") | Q(details__has_key=KEPT_FROM)
"""Answers for which nobody was asked."""


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
    ranks_asked = int(top_k) if top_k else None
    return [
        replace(with_evidence(each.question, _trace(each, texts), texts, ranks_asked), repeat=each.repeat)
        for each in answers
    ]


def texts_for(answers: Iterable[Answer]) -> dict[int, str]:
    """Return the text of every document that the answers' contexts and evidence point into, by id, in one query."""
    answers = list(answers)
    wanted = set().union(*(documents_of(answer) for answer in answers))
    for answer in answers:
        wanted.update(evidence.document_id for evidence in answer.question.evidence.all())
    return document_texts(wanted) | passage_texts(answers)


def passages_of(details: Mapping[str, Any]) -> list[SourceDoc]:
    """Return the texts that an answer's contexts and candidates point into and that stand in no document."""
    return [SourceDoc.from_json(each) for each in details.get(PASSAGES, ())]


def passage_texts(answers: Iterable[Answer]) -> dict[int, str]:
    """Return these texts of some answers, by id."""
    return {each.id: each.text for answer in answers for each in passages_of(answer.details)}


def documents_of(answer: Answer) -> set[int]:
    """Return the ids of the documents that an answer's contexts point into."""
    return {Span.from_json(context).document_id for context in answer.contexts}


def sample_of(answer: Answer, texts: Mapping[int, str]) -> Sample:
    """Return an answer without its gold evidence. `texts`: of the documents, by id; what is gone has no text."""
    return replace(_sample(answer.question, _trace(answer, texts)), repeat=answer.repeat)


def with_evidence(question: Question, trace: Trace, texts: Mapping[int, str], ranks_asked: int | None) -> Sample:
    """Return a trace as the metrics see it, with the gold evidence of its question and where that is repeated."""
    spans = question.evidence_spans
    evidence_texts = tuple(texts[span.document_id][span.start : span.end] for span in spans)
    retrieved = [context.span for context in trace.contexts]
    return _sample(
        question,
        trace,
        evidence=spans,
        evidence_texts=evidence_texts,
        equivalents=repeats_of(spans, evidence_texts, retrieved, texts),
        ranks_asked=ranks_asked,
    )


def _sample(question: Question, trace: Trace, **gold: Any) -> Sample:
    return Sample(
        question_id=question.question_id,
        pair_id=question.pair_id,
        kind=question.kind,
        trace=trace,
        reference_answers=tuple(question.reference_answers),
        transformation=question.transformation,
        error=question.error,
        metadata=question.metadata,
        **gold,
    )


def _trace(answer: Answer, texts: Mapping[int, str]) -> Trace:
    return Trace(
        question=answer.question.text,
        answer=answer.text,
        contexts=tuple(Context.from_json(each, texts) for each in answer.contexts),
        prompt=answer.prompt,
        latency_s=answer.latency_s,
        ttft_s=answer.ttft_s,
        usage=Usage(answer.prompt_tokens, answer.completion_tokens, answer.cost_usd),
        error=answer.error,
        details=answer.details,
        passages=tuple(passages_of(answer.details)),
    )
