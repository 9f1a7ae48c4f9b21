"""Samples and contexts for tests of metrics, without a database."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.base import MetricContext
from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal, Sample, Score
from rag_pipeline.types import Context, Span, Trace
from tests.fake_embedder import embed_words


def make_sample(
    answer: str = "Memphis",
    references: Sequence[str] = ("Memphis",),
    *,
    kind: str = "simple",
    pair_id: str = "p1",
    question_id: str = "",
    error: str = "",
    document: str = "",
    evidence: Sequence[tuple[int, int]] = (),
    contexts: Sequence[tuple[int, int, int]] = (),
    equivalents: Sequence[Sequence[tuple[int, int, int]]] = (),
    transformation: str = "",
    repeat: int = 0,
) -> Sample:
    """Return an answered question. `evidence` are spans of document 1, whose text is `document`; contexts are
    (document, start, end)."""
    trace = Trace(
        "Where was it issued?",
        "" if error else answer,
        tuple(
            Context(Span(*span), f"d{span[0]}.txt", document[span[1] : span[2]], 1.0, rank)
            for rank, span in enumerate(contexts, 1)
        ),
        error=error,
    )
    return Sample(
        question_id=question_id or f"{pair_id}-{kind}",
        pair_id=pair_id,
        kind=kind,
        trace=trace,
        reference_answers=tuple(references),
        evidence=tuple(Span(1, start, end) for start, end in evidence),
        evidence_texts=tuple(document[start:end] for start, end in evidence),
        equivalents=tuple(tuple(Span(*span) for span in copies) for copies in equivalents),
        transformation=transformation,
        repeat=repeat,
    )


def make_answered(
    question: str,
    answer: str,
    contexts: Sequence[str] = (),
    references: Sequence[str] = (),
    missing: frozenset[str] = frozenset(),
) -> Sample:
    """Return an answered question with contexts as texts, as in the RAG task format."""
    trace = Trace(
        question,
        answer,
        tuple(Context(Span(-rank, 0, len(text)), f"c{rank}", text, 0.0, rank) for rank, text in enumerate(contexts, 1)),
    )
    return Sample("q", "q", "simple", trace, tuple(references), missing=missing)


def make_context(
    refusals: Sequence[str] = ("attempt",), agreement: Sequence[Score] = (), use_context: bool = True
) -> MetricContext:
    """Return the context of as many samples as there are refusal labels."""
    return MetricContext(EvaluationSpec(), [Refusal(label) for label in refusals], embed_words, agreement, use_context)
