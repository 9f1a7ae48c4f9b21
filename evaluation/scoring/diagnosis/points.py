"""The seven failure points of a RAG system (Barnett et al. 2024, “Seven Failure Points …”), in the order of looking."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MISSING_CONTENT, MISSED_RANKS, NOT_IN_CONTEXT, WRONG_FORMAT, INCOMPLETE, NOT_EXTRACTED, SPECIFICITY = range(1, 8)
"""Their numbers in the paper."""

ORDER = (
    MISSING_CONTENT,
    MISSED_RANKS,
    NOT_IN_CONTEXT,
    WRONG_FORMAT,
    NOT_EXTRACTED,
    INCOMPLETE,
    SPECIFICITY,
)
"""The way from question to correct answer: the first that applies is the answer's failure point."""

LABELS = {
    MISSING_CONTENT: "Missing content",
    MISSED_RANKS: "Missed the top ranks",
    NOT_IN_CONTEXT: "Not in context",
    WRONG_FORMAT: "Wrong format",
    INCOMPLETE: "Incomplete",
    NOT_EXTRACTED: "Not extracted",
    SPECIFICITY: "Incorrect specificity",
}

PASSED = {
    MISSING_CONTENT: "Content there, or declined",
    MISSED_RANKS: "Evidence retrieved",
    NOT_IN_CONTEXT: "Evidence in context",
    WRONG_FORMAT: "Right format",
    NOT_EXTRACTED: "Answer extracted",
    INCOMPLETE: "Complete",
    SPECIFICITY: "Right",
}
"""What an answer that passed a point has behind it."""

SPEAKING: dict[int, tuple[str, ...]] = {
    MISSING_CONTENT: ("knowledge_bounding", "context_recall", "claim_recall"),
    MISSED_RANKS: ("recall_at_k", "hit_rate", "mrr", "map", "ndcg", "context_matching"),
    NOT_IN_CONTEXT: ("context_matching", "reference_context_recall", "context_precision", "context_relevance"),
    WRONG_FORMAT: (
        "must_match", "must_not_match", "max_words", "max_sentences", "valid_json", "language_is", "cites_context",
    ),
    NOT_EXTRACTED: (
        "recall", "robustness", "context_utilization", "faithfulness", "groundedness_offline", "noise_sensitivity",
    ),
    INCOMPLETE: ("recall", "robustness", "answer_correctness", "correctness_offline", "factual_similarity"),
    SPECIFICITY: ("brevity", "aspect:specificity", "aspect:conciseness", "answer_relevancy", "span_precision"),
}  # fmt: skip
"""The metrics in which a point shows over a whole run, those that say most first."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Where one answer failed. `point` None: it lost nothing that counts as a failure, and `reason` says so.

    `details`, JSON-ready: `lost` (1 - the score by its kind, or None), `cause` within the point, and what was measured:
    `rank`, `needed`, `limit`, `chunk`, `step` … as the cause has them.
    """

    point: int | None
    reason: str
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The point's name; empty without one."""
        return LABELS[self.point] if self.point else ""
