"""RAGChecker: how much of the answer is right without the contexts."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from evaluation.judge.claims.table import ANSWER_CONTEXTS, ANSWER_REFERENCE, ClaimTable
from evaluation.metrics.base import metrics
from evaluation.metrics.claim_based import ANSWERABLE, ClaimMetric, share_of
from evaluation.metrics.hallucination import Hallucination
from evaluation.types import Sample, Score


@metrics.register
class SelfKnowledge(ClaimMetric):
    """Share of the answer's claims that the reference has and the contexts do not: the model knew them by itself."""

    key = "self_knowledge"
    label = "Self-knowledge"
    help = "Share of the answer's statements that are right but stand in no context: what the model knew itself."
    group = "claims"
    kinds = ANSWERABLE
    needs: ClassVar[frozenset[str]] = ClaimMetric.needs | {"reference"}
    claim_parts: ClassVar[frozenset[str]] = frozenset({ANSWER_CONTEXTS, ANSWER_REFERENCE})
    higher_is_better = False
    pooled = True
    formula = "claims of the answer in no context but in the reference / claims of the answer"
    source = "RAGChecker (Ru et al. 2024)"
    cannot_see = "what is right and stands in no reference; what its judge does not see"
    worked = replace(
        Hallucination.worked,
        working="Ulm is in no context but in the reference: 1 of 2 claims. The wrong date, in neither, is "
        "hallucination; none of the claims is faithful: 0/2 + 1/2 + 1/2 = 1.",
    )

    def read_table(self, table: ClaimTable, sample: Sample) -> Score:
        """Return known without the contexts over all claims."""
        words = "claims of the answer are in no context but in the reference"
        return share_of(table.answer, lambda claim: not claim.supported and claim.in_other, words)
