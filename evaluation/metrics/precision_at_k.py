"""Retrieval: how many of the contexts are gold."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.ranked import IR_MEASURES, RankMetric
from evaluation.metrics.ranks import Ranks
from evaluation.metrics.worked import WorkedExample


@metrics.register
class PrecisionAtK(RankMetric):
    """Share of the first k ranks that are gold; fewer retrieved than k count as not gold."""

    key = "precision_at_k"
    label = "Precision at k"
    known_as = {"RAGAS": ("IDBasedContextPrecision",), "TruLens": ("precision_at_k",)}
    help = "Share of the contexts that are gold."
    formula = "gold contexts among the first k / k"
    source = f"P@k; {IR_MEASURES}"
    worked = WorkedExample(
        0.667,
        "2 of the first 3 contexts are gold: 2/3.",
        context_ids=("c", "a", "b"),
        gold_ids=("a", "b"),
        contexts=("C", "A", "B"),
        options={"k": 3},
    )

    def value(self, ranks: Ranks, k: int) -> float:
        """Return the metric."""
        return sum(ranks.hits) / k
