"""Retrieval: how early the first gold context comes."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.ranked import IR_MEASURES, RankMetric
from evaluation.metrics.ranks import Ranks
from evaluation.metrics.worked import WorkedExample


@metrics.register
class Mrr(RankMetric):
    """Reciprocal of the rank of the first gold context; 0 where there is none."""

    key = "mrr"
    label = "MRR"
    known_as = {
        "unitxt": (
            "metrics.rag.mrr",
            "metrics.rag.context_correctness",
            "metrics.rag.context_correctness.mrr",
        ),
        "TruLens": ("mrr",),
    }
    help = "1 where the first context is gold, 1/2 where the second is the first gold one."
    formula = "1 / rank of the first gold context"
    source = f"Voorhees 1999; {IR_MEASURES}"
    worked = WorkedExample(
        0.5,
        "The first gold context, a, is at rank 2: 1/2.",
        context_ids=("c", "a", "b"),
        gold_ids=("a", "b"),
        contexts=("C", "A", "B"),
    )

    def value(self, ranks: Ranks, k: int) -> float:
        """Return the metric."""
        return next((1 / rank for rank, hit in enumerate(ranks.hits, 1) if hit), 0.0)
