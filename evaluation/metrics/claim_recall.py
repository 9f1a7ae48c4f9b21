"""RAGChecker: how much of what the reference states some retrieved context holds by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from evaluation.judge.claims.table import REFERENCE_CONTEXTS, ClaimTable
from evaluation.metrics.base import metrics
from evaluation.metrics.claim_based import ANSWERABLE, NO_REFERENCE_STATEMENT, ClaimMetric, share_of
from evaluation.metrics.context_recall import ContextRecall
from evaluation.metrics.worked import verdicts
from evaluation.types import Sample, Score


@metrics.register
class ClaimRecall(ClaimMetric):
    """Share of the reference's claims that a single context supports: what a good ranker finds without luck.

    Context recall also counts what only several contexts together say; the difference is what lies scattered.
    """

    key = "claim_recall"
    label = "Claim recall"
    help = "Share of the reference's statements that a single context holds whole."
    group = "claims"
    kinds = ANSWERABLE
    needs: ClassVar[frozenset[str]] = ContextRecall.needs
    reads_answer: ClassVar[bool] = False
    claim_parts: ClassVar[frozenset[str]] = frozenset({REFERENCE_CONTEXTS})
    pooled = True
    formula = "claims of the reference that one context supports by itself / claims of the reference"
    source = "RAGChecker (Ru et al. 2024)"
    worked = replace(
        ContextRecall.worked,
        judge=(
            *ContextRecall.worked.judge[:3],
            verdicts("check_claims", ("Both together name it.", True)),
        ),
        working="The first context says where France is: 1 of 2 claims. Were the capital clear from both contexts "
        "together only, as the last verdict has it, that would count for context recall and not here.",
    )

    def read_table(self, table: ClaimTable, sample: Sample) -> Score:
        """Return supported by a single context over all claims of the reference; an empty retrieval is 0."""
        words = "claims of the reference are in one of the contexts"
        return share_of(table.reference, lambda claim: claim.supported_alone, words, NO_REFERENCE_STATEMENT)
