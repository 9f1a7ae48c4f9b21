"""Stored questions as the engine sees them, drafts with the texts of their evidence; and what a model found of them."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Prefetch, QuerySet

from evaluation.models import Evidence, Question, TestSet
from evaluation.types import QUALITY, CheckedQuestions, DraftEvidence, DraftQuestion
from rag_pipeline.models import Document

CHECKED, PROBLEM, BEFORE = "checked", "problem", "before"
"""What a question's metadata hold after a check: the model, what was wrong, and the question as it was."""


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


def store_check(*, testset: TestSet, found: CheckedQuestions, llm: str) -> None:
    """Store what a model found of questions: what is mended takes their place, what cannot be is rejected."""
    better = {each.question_id: each for each in found.mended}
    with transaction.atomic():
        for question in testset.questions.filter(question_id__in=[each.question_id for each in found.questions]):
            outdated = {PROBLEM, BEFORE} | ({QUALITY} if better else set())
            kept = {name: value for name, value in question.metadata.items() if name not in outdated}
            question.metadata = kept | {CHECKED: llm} | ({PROBLEM: found.problem} if found.problem else {})
            if question.question_id in better:
                _mend(question, better[question.question_id])
            elif found.problem:
                question.status = Question.Status.REJECTED
            question.save(update_fields=["text", "reference_answers", "error", "status", "metadata"])


def _mend(question: Question, better: DraftQuestion) -> None:
    question.metadata[BEFORE] = {"text": question.text, "reference_answers": question.reference_answers}
    question.text, question.reference_answers, question.error = better.text, list(better.references), better.error
    question.evidence.all().delete()
    Evidence.objects.bulk_create([Evidence(question=question, **each.span.as_json()) for each in better.evidence])
