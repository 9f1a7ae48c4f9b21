"""Retrieval: how early all gold contexts come."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.ranked import IR_MEASURES, RankMetric
from evaluation.metrics.ranks import Ranks
from evaluation.metrics.worked import WorkedExample


@metrics.register
class AveragePrecision(RankMetric):
    """Mean of the precision at each gold context; gold that is not retrieved counts 0."""

    key = "map"
    label = "MAP"
    known_as = {
        "unitxt": (
            "metrics.rag.map",
            "metrics.rag.context_correctness.map",
        )
    }
    help = "High where all gold contexts come early."
    formula = "sum over gold ranks of precision at that rank / gold contexts in all"
    source = f"Average precision (Buckley and Voorhees 2000); {IR_MEASURES}"
    worked = WorkedExample(
        0.583,
        "Gold at ranks 2 and 3: (1/2 + 2/3) / 2.",
        context_ids=("c", "a", "b"),
        gold_ids=("a", "b"),
        contexts=("C", "A", "B"),
    )

    def value(self, ranks: Ranks, k: int) -> float:
        """Return the metric."""
        held = 0
        total = 0.0
        for rank, gain in enumerate(ranks.gains, 1):
            held += gain > 0
            total += gain * held / rank
        return total / ranks.gold
