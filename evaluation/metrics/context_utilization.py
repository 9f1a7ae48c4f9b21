"""RAGChecker: how much of what was retrieved and wanted the answer made use of."""

from __future__ import annotations

from typing import ClassVar

from evaluation.judge.claims.table import REFERENCE_ANSWER, REFERENCE_CONTEXTS, ClaimTable
from evaluation.metrics.base import metrics
from evaluation.metrics.claim_based import ANSWERABLE, NO_REFERENCE_STATEMENT, ClaimMetric, ratio
from evaluation.metrics.worked import WorkedExample, claims, verdicts
from evaluation.types import Sample, Score


@metrics.register
class ContextUtilization(ClaimMetric):
    """Of the reference's claims that the contexts support, the share that the answer states.

    Null where the contexts support none: then there was nothing to use.
    """

    key = "context_utilization"
    label = "Context utilization"
    help = "Of what the reference states and the contexts hold, how much the answer took up."
    group = "claims"
    kinds = ANSWERABLE
    needs: ClassVar[frozenset[str]] = ClaimMetric.needs | {"reference"}
    claim_parts: ClassVar[frozenset[str]] = frozenset({REFERENCE_CONTEXTS, REFERENCE_ANSWER})
    pooled = True
    formula = "claims of the reference supported by the contexts and in the answer / those supported by the contexts"
    source = "RAGChecker (Ru et al. 2024)"
    worked = WorkedExample(
        question="Where is France and what is its capital?",
        answer="France is in Western Europe.",
        references=("France is in Western Europe and its capital is Paris. It has 68 million inhabitants.",),
        contexts=("France, in Western Europe, has alpine villages. Paris, its capital, is famed for its museums.",),
        judge=(
            claims(
                "France is in Western Europe.", "The capital of France is Paris.", "France has 68 million inhabitants."
            ),
            verdicts(
                "check_claims",
                ("“France, in Western Europe”", True),
                ("“Paris, its capital”", True),
                ("It gives no number.", False),
            ),
            verdicts(
                "compare_claims",
                ("“in Western Europe”", True),
                ("The answer names no capital.", False),
                ("The answer gives no number.", False),
            ),
        ),
        value=0.5,
        working="The context supports two of the reference's three claims; of these two the answer states one: 1/2.",
    )

    def read_table(self, table: ClaimTable, sample: Sample) -> Score:
        """Return used over usable claims of the reference."""
        if not table.reference:
            return Score.unscored(NO_REFERENCE_STATEMENT)
        usable = [claim for claim in table.reference if claim.supported]
        if not usable:
            return Score.unscored("the contexts support nothing of the reference, so there was nothing to use")
        used = sum(claim.in_other for claim in usable)
        return ratio(used, len(usable), "claims of the reference that the contexts support are in the answer")
