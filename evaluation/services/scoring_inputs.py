"""What the scoring of a run has at hand: which inputs its test set and settings give, and which they do not."""

from __future__ import annotations

from evaluation.metrics.availability import (
    NO_CONTEXTS,
    NO_EVIDENCE,
    NO_JUDGE,
    NO_OTHER,
    NO_REFERENCES,
    Available,
)
from evaluation.models import Evidence, Question, TestSet


def available_inputs(*, testset: TestSet | None, use_context: bool, judge: str) -> Available:
    """Return what a run over `testset` would have; without a test set, what is known without one."""
    lacking = {"other_answer": NO_OTHER}
    if not judge.strip():
        lacking["judge"] = NO_JUDGE
    if testset is None:
        return Available(lacking)
    asked = testset.questions.exclude(status=Question.Status.REJECTED)
    answerable = asked.exclude(kind=Question.Kind.OUT_OF_SCOPE)
    if not answerable.exclude(reference_answers=[]).exists():
        lacking["reference"] = NO_REFERENCES
    if not Evidence.objects.filter(question__in=answerable).exists():
        lacking |= dict.fromkeys(("evidence", "reference_contexts", "gold_ids"), NO_EVIDENCE)
    if not use_context:
        lacking |= dict.fromkeys(("contexts", "gold_ids"), NO_CONTEXTS)
    kinds = asked.order_by().values_list("kind", flat=True).distinct()
    return Available(lacking, frozenset(kinds))
