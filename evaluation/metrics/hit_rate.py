"""Retrieval: whether any gold context was retrieved."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.ranked import IR_MEASURES, RankMetric
from evaluation.metrics.ranks import Ranks
from evaluation.metrics.worked import WorkedExample


@metrics.register
class HitRate(RankMetric):
    """1 where at least one gold context is among the contexts."""

    key = "hit_rate"
    label = "Hit rate"
    known_as = {
        "unitxt": (
            "metrics.rag.retrieval_at_k",
            "metrics.rag.context_correctness.retrieval_at_k",
        ),
        "TruLens": ("ir_hit_rate",),
    }
    unitxt_options = {"k": 1}
    help = "1 where any gold context was retrieved."
    formula = "1 if a gold context is among the first k else 0"
    source = f"Success@k; {IR_MEASURES}"
    worked = WorkedExample(
        1.0,
        "A gold context, a, is among the first 2.",
        context_ids=("c", "a", "b"),
        gold_ids=("a", "b"),
        contexts=("C", "A", "B"),
        options={"k": 2},
    )

    def value(self, ranks: Ranks, k: int) -> float:
        """Return the metric."""
        return float(any(ranks.hits))
