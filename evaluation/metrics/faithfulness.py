"""RAGAS: how much of what the answer states the contexts support."""

from __future__ import annotations

from typing import ClassVar

from evaluation.judge.claims.table import ANSWER_CONTEXTS, ClaimTable
from evaluation.metrics.base import metrics
from evaluation.metrics.claim_based import ALL_CLAIMS, ALL_CONTEXTS, ANSWERS_AND_JUDGE, ClaimMetric, share_of
from evaluation.metrics.worked import WorkedExample, claims, verdicts
from evaluation.types import Sample, Score


@metrics.register
class Faithfulness(ClaimMetric):
    """Share of the answer's claims that the contexts, all joined in one text, support.

    One call decides, so that more contexts are no more chances of a yes given by mistake. Claims come from question and
    answer alone. Null where the answer states nothing, as a refusal does.
    """

    key = "faithfulness"
    label = "Faithfulness"
    known_as = {"RAGAS": ("Faithfulness",), "TruLens": ("Groundedness",), "DeepEval": ("FaithfulnessMetric",)}
    help = "Share of the answer's statements that the contexts support."
    group = "ragas"
    claim_parts: ClassVar[frozenset[str]] = frozenset({ANSWER_CONTEXTS})
    pooled = True
    changes = f"{ALL_CONTEXTS}; {ANSWERS_AND_JUDGE}; {ALL_CLAIMS}"
    formula = "claims of the answer supported by the contexts / claims of the answer; null without claims"
    source = "Es et al. 2024 (RAGAS); RAGChecker (Ru et al. 2024) calls it faithfulness too"
    cannot_see = "whether the answer is right, or answers the question; what its judge does not see"
    worked = WorkedExample(
        question="Where and when was Einstein born?",
        answer="Einstein was born in Germany on 20th March 1879.",
        contexts=("Albert Einstein (born 14 March 1879) was a German-born theoretical physicist.",),
        judge=(
            claims("Einstein was born in Germany.", "Einstein was born on 20th March 1879."),
            verdicts("check_claims", ("He was “German-born”.", True), ("The text says “14 March 1879”.", False)),
        ),
        value=0.5,
        working="The answer states two things. That he was born in Germany is in the context, the date is not: 1/2.",
    )

    def read_table(self, table: ClaimTable, sample: Sample) -> Score:
        """Return supported over all claims."""
        words = "claims of the answer are supported by the contexts"
        return share_of(table.answer, lambda claim: claim.supported, words)
