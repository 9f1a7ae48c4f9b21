"""RAGChecker: how much of the answer is made up."""

from __future__ import annotations

from typing import ClassVar

from evaluation.judge.claims.table import ANSWER_CONTEXTS, ANSWER_REFERENCE, ClaimTable
from evaluation.metrics.base import metrics
from evaluation.metrics.claim_based import ANSWERABLE, ClaimMetric, share_of
from evaluation.metrics.worked import WorkedExample, claims, verdicts
from evaluation.types import Sample, Score


@metrics.register
class Hallucination(ClaimMetric):
    """Share of the answer's claims that neither the contexts nor the reference, of several the nearest, have.

    With faithfulness and self-knowledge it adds up to 1.
    """

    key = "hallucination"
    label = "Hallucination"
    known_as = {"DeepEval": ("HallucinationMetric",)}
    help = "Share of the answer's statements that stand neither in the contexts nor in the reference."
    group = "claims"
    kinds = ANSWERABLE
    needs: ClassVar[frozenset[str]] = ClaimMetric.needs | {"reference"}
    claim_parts: ClassVar[frozenset[str]] = frozenset({ANSWER_CONTEXTS, ANSWER_REFERENCE})
    higher_is_better = False
    pooled = True
    formula = "claims of the answer not supported by the contexts and not in the reference / claims of the answer"
    source = "RAGChecker (Ru et al. 2024)"
    cannot_see = "whether what stands in neither is true all the same; what its judge does not see"
    worked = WorkedExample(
        question="Where and when was Einstein born?",
        answer="Einstein was born in Ulm on 20th March 1879.",
        references=("Einstein was born in Ulm on 14 March 1879.",),
        contexts=("Albert Einstein (born 14 March 1879) was a German-born theoretical physicist.",),
        judge=(
            claims("Einstein was born in Ulm.", "Einstein was born on 20th March 1879."),
            verdicts("check_claims", ("Ulm is not named.", False), ("The text says “14 March 1879”.", False)),
            verdicts("compare_claims", ("“in Ulm”", True), ("The answer says “14 March 1879”.", False)),
        ),
        value=0.5,
        working="Of two claims the wrong date is in neither context nor reference: 1/2. Ulm, which no context has but "
        "the reference does, is self-knowledge.",
    )

    def read_table(self, table: ClaimTable, sample: Sample) -> Score:
        """Return made up over all claims."""
        words = "claims of the answer are neither in the contexts nor in the reference"
        return share_of(table.answer, lambda claim: not claim.supported and not claim.in_other, words)
