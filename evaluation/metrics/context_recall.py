"""RAGAS: how much of what the reference states can be taken from the contexts."""

from __future__ import annotations

from typing import ClassVar

from evaluation.judge.claims.table import REFERENCE_CONTEXTS, ClaimTable
from evaluation.metrics.base import metrics
from evaluation.metrics.claim_based import ANSWERABLE, NO_REFERENCE_STATEMENT, ClaimMetric, share_of
from evaluation.metrics.worked import WorkedExample, claims, verdicts
from evaluation.types import Sample, Score


@metrics.register
class ContextRecall(ClaimMetric):
    """Share of the reference's claims that the contexts, all joined in one text, support; the best of several."""

    key = "context_recall"
    label = "Context recall"
    known_as = {"RAGAS": ("LLMContextRecall",), "DeepEval": ("ContextualRecallMetric",)}
    help = "Share of the reference's statements that the contexts support, alone or together."
    group = "ragas"
    kinds = ANSWERABLE
    needs: ClassVar[frozenset[str]] = frozenset({"question", "reference", "contexts", "judge"})
    reads_answer: ClassVar[bool] = False
    claim_parts: ClassVar[frozenset[str]] = frozenset({REFERENCE_CONTEXTS})
    pooled = True
    formula = "claims of the reference supported by the contexts / claims of the reference"
    source = "RAGAS documentation (Es et al. 2024)"
    worked = WorkedExample(
        question="Where is France and what is its capital?",
        references=("France is in Western Europe and its capital is Paris.",),
        contexts=(
            "France, in Western Europe, encompasses medieval cities, alpine villages and Mediterranean beaches.",
            "The country is also renowned for its wines and sophisticated cuisine.",
        ),
        judge=(
            claims("France is in Western Europe.", "The capital of France is Paris."),
            verdicts("check_claims", ("“France, in Western Europe”", True), ("No capital is named.", False)),
        ),
        value=0.5,
        working="The reference states two things. The first context says where France is; none names the capital: 1/2.",
    )

    def read_table(self, table: ClaimTable, sample: Sample) -> Score:
        """Return supported over all claims of the reference; an empty retrieval is 0."""
        words = "claims of the reference are supported by the contexts"
        return share_of(table.reference, lambda claim: claim.supported, words, NO_REFERENCE_STATEMENT)
