"""RAGChecker: how much of what the reference states some retrieved context holds by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from evaluation.judge.claims.table import REFERENCE_ATTRIBUTED, REFERENCE_CONTEXTS, ClaimTable
from evaluation.metrics.base import metrics
from evaluation.metrics.claim_based import ANSWERABLE, NO_REFERENCE_STATEMENT, ClaimMetric, share_of
from evaluation.metrics.context_recall import ContextRecall
from evaluation.metrics.worked import verdicts
from evaluation.types import Sample, Score


@metrics.register
class ClaimRecall(ClaimMetric):
    """Share of the reference's claims that the contexts support and one of them by itself: found without luck.

    Context recall also counts what only several contexts together say; the difference is what lies scattered.
    """

    key = "claim_recall"
    label = "Claim recall"
    help = "Share of the reference's statements that a single context holds whole."
    group = "claims"
    kinds = ANSWERABLE
    needs: ClassVar[frozenset[str]] = ContextRecall.needs
    reads_answer: ClassVar[bool] = False
    claim_parts: ClassVar[frozenset[str]] = frozenset({REFERENCE_CONTEXTS, REFERENCE_ATTRIBUTED})
    pooled = True
    formula = "claims of the reference that one context supports by itself / claims of the reference"
    source = "RAGChecker (Ru et al. 2024)"
    cannot_see = "what contexts say only together; what its judge does not see"
    worked = replace(
        ContextRecall.worked,
        judge=(
            ContextRecall.worked.judge[0],
            verdicts("check_claims", ("“France, in Western Europe”", True), ("Both together name it.", True)),
            verdicts("check_claims", ("“France, in Western Europe”", True), ("No capital is named.", False)),
            verdicts("check_claims", ("It speaks of wines and cuisine.", False), ("No capital is named.", False)),
            verdicts("check_claims", ("No capital is named.", False)),
            verdicts("check_claims", ("No capital is named.", False)),
        ),
        working="Say that both contexts together support both claims. Each by itself, the first one says where France "
        "is; the capital, asked about once more, is in neither: 1 of 2. It counts for context recall and not here.",
    )

    def read_table(self, table: ClaimTable, sample: Sample) -> Score:
        """Return supported by a single context over all claims of the reference; an empty retrieval is 0."""
        words = "claims of the reference are in one of the contexts"
        return share_of(table.reference, lambda claim: claim.supported_alone, words, NO_REFERENCE_STATEMENT)
