"""Stored questions as the engine sees them: drafts with the texts of their evidence."""

from __future__ import annotations

from django.db.models import Prefetch, QuerySet

from evaluation.models import Evidence, Question
from evaluation.types import DraftEvidence, DraftQuestion
from rag_pipeline.models import Document


def with_documents(questions: QuerySet[Question]) -> QuerySet[Question]:
    """Return questions with their evidence and its documents, in three queries whatever their number."""
    return questions.prefetch_related("evidence", Prefetch("evidence__document", Document.objects.only("name", "text")))


def draft_of(question: Question) -> DraftQuestion:
    """Return a question as a draft; many of them are loaded `with_documents`."""
    return DraftQuestion(
        question.question_id,
        question.pair_id,
        question.kind,
        question.text,
        tuple(question.reference_answers),
        tuple(_draft_evidence(each) for each in question.evidence.all()),
        question.transformation,
        question.error,
        question.split,
        question.metadata,
    )


def _draft_evidence(evidence: Evidence) -> DraftEvidence:
    return DraftEvidence(evidence.span, evidence.document.text[evidence.start : evidence.end])
