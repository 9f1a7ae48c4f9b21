"""Retrieval: how much of the gold was retrieved."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.ranked import IR_MEASURES, RankMetric
from evaluation.metrics.ranks import Ranks
from evaluation.metrics.worked import WorkedExample


@metrics.register
class RecallAtK(RankMetric):
    """Share of all gold that is among the first k ranks."""

    key = "recall_at_k"
    label = "Recall at k"
    known_as = {"RAGAS": ("IDBasedContextRecall",), "TruLens": ("recall_at_k",)}
    help = "Share of the gold contexts that were retrieved."
    formula = "gold among the first k / gold in all"
    source = f"R@k; {IR_MEASURES}"
    worked = WorkedExample(
        0.5,
        "1 of the 2 gold contexts is among the first 2: 1/2.",
        context_ids=("c", "a", "b"),
        gold_ids=("a", "b"),
        contexts=("C", "A", "B"),
        options={"k": 2},
    )

    def value(self, ranks: Ranks, k: int) -> float:
        """Return the metric."""
        return sum(ranks.gains) / ranks.gold
