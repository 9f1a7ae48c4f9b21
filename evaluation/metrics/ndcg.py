"""Retrieval: gold contexts early, later ones discounted."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.ranked import IR_MEASURES, RankMetric, discounted
from evaluation.metrics.worked import WorkedExample
from evaluation.ranks import Ranks


@metrics.register
class Ndcg(RankMetric):
    """Discounted cumulative gain over that of the best order; the ideal holds all gold, up to k ranks."""

    key = "ndcg"
    label = "nDCG"
    help = "Gold contexts count the more the earlier they come."
    formula = "sum of 1 / log2(rank + 1) over gold ranks / the same for the ideal order"
    source = f"Järvelin and Kekäläinen 2002; {IR_MEASURES}"
    worked = WorkedExample(
        0.693,
        "Gold at ranks 2 and 3: 1/log2(3) + 1/log2(4) = 1.131; at best, at ranks 1 and 2: 1 + 1/log2(3) = 1.631.",
        context_ids=("c", "a", "b"),
        gold_ids=("a", "b"),
        contexts=("C", "A", "B"),
    )

    def value(self, ranks: Ranks, k: int) -> float:
        """Return the metric."""
        return min(1.0, discounted(ranks.hits) / discounted(min(ranks.gold, k)))
