"""Stored answers as rows and panels: scores, contexts with their evidence marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evaluation.metrics.context_matching import covered_positions, evidence_positions
from evaluation.models import CLAIMS, FAILURE_POINT, REFUSED, Answer, MetricScore, Run
from evaluation.queries.context_views import ContextPiece, ContextView
from evaluation.queries.rows import EvidenceView, FailureView, QuestionRow
from evaluation.scoring.diagnosis.points import LABELS
from evaluation.types import Refusal, Sample, Score
from rag_pipeline.types import Context, Span

SURROUNDINGS = 240
"""Characters shown before and after a gold span."""


def load_answer_scores(run: Run, answers: Iterable[Answer]) -> dict[int, dict[str, Score]]:
    """Return the current scores of answers by answer and metric, in one query; the refusal is among them.

    Claim tables are not: they are long, and one answer's is shown at a time.
    """
    found: dict[int, dict[str, Score]] = {}
    rows = MetricScore.objects.filter(scoring__run=run, scoring__current=True, answer__in=[each.pk for each in answers])
    for row in rows.exclude(metric=CLAIMS).order_by("id"):
        found.setdefault(row.answer_id, {})[row.metric] = Score(row.value, row.reason, row.details)
    return found


def question_row(
    answer: Answer, scores: Mapping[int, Mapping[str, Score]], twin: QuestionRow | None = None
) -> QuestionRow:
    """Return an answer as a row of the table."""
    own = dict(scores.get(answer.pk, {}))
    refused, failure = own.pop(REFUSED, None), own.pop(FAILURE_POINT, None)
    return QuestionRow(
        question=answer.question,
        answer_id=answer.pk,
        repeat=answer.repeat,
        text=answer.text,
        error=answer.error,
        latency_s=answer.latency_s,
        refusal=Refusal(**refused.details) if refused and refused.details else None,
        scores=own,
        twin=twin,
        failure=failure_view(failure),
    )


def failure_view(stored: Score | None) -> FailureView | None:
    """Return a stored failure point; None where there is none."""
    if stored is None or stored.value is None:
        return None
    point = int(stored.value)
    return FailureView(point, LABELS[point], stored.reason, stored.details)


def context_views(sample: Sample) -> list[ContextView]:
    """Return the chunks of an answer with the evidence in them marked, verbatim repeats too."""
    return [_context_view(context, gold_spans(sample)) for context in sample.trace.contexts]


def gold_spans(sample: Sample) -> list[Span]:
    """Return the evidence of a question and its verbatim repeats."""
    return [*sample.evidence, *(span for copies in sample.equivalents for span in copies)]


def evidence_views(sample: Sample, names: Mapping[int, str], texts: Mapping[int, str]) -> list[EvidenceView]:
    """Return the gold spans in their surroundings, each with the share that the contexts hold."""
    wanted = evidence_positions(sample)
    covered = covered_positions(sample, wanted)
    views = []
    for span, text in zip(sample.evidence, sample.evidence_texts, strict=True):
        own = {
            position for position in wanted if position[0] == span.document_id and span.start <= position[1] < span.end
        }
        share = len(own & covered) / len(own) if own and sample.trace.contexts else None
        document = texts.get(span.document_id, "")
        views.append(
            EvidenceView(
                document_id=span.document_id,
                document=names.get(span.document_id, ""),
                start=span.start,
                end=span.end,
                before=document[max(0, span.start - SURROUNDINGS) : span.start],
                text=text,
                after=document[span.end : span.end + SURROUNDINGS],
                covered=share,
            )
        )
    return views


def _context_view(context: Context, gold: Sequence[Span]) -> ContextView:
    return ContextView(
        rank=context.rank,
        score=context.score,
        document_id=context.span.document_id,
        document=context.document,
        start=context.span.start,
        end=context.span.end,
        page=context.page,
        text=context.text,
        pieces=marked(context.text, context.span, gold),
    )


def marked(text: str, place: Span, gold: Iterable[Span]) -> list[ContextPiece]:
    """Cut `text`, which stands at `place`, where gold evidence begins and ends; the pieces joined are the text."""
    marks = sorted(
        (max(span.start, place.start) - place.start, min(span.end, place.end) - place.start)
        for span in gold
        if span.document_id == place.document_id and span.start < place.end and span.end > place.start
    )
    pieces: list[ContextPiece] = []
    at = 0
    for start, end in _merged(marks):
        if start > at:
            pieces.append(ContextPiece(text[at:start], False))
        pieces.append(ContextPiece(text[start:end], True))
        at = end
    if at < len(text):
        pieces.append(ContextPiece(text[at:], False))
    return pieces


def _merged(marks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in marks:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
