"""Retrieval: gold contexts early, later ones discounted."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.ranked import IR_MEASURES, RankMetric, discounted
from evaluation.ranks import Ranks


@metrics.register
class Ndcg(RankMetric):
    """Discounted cumulative gain over that of the best order; the ideal holds all gold, up to k ranks."""

    key = "ndcg"
    label = "nDCG"
    help = "Gold contexts count the more the earlier they come."
    formula = "sum of 1 / log2(rank + 1) over gold ranks / the same for the ideal order"
    source = f"Järvelin and Kekäläinen 2002; {IR_MEASURES}"

    def value(self, ranks: Ranks, k: int) -> float:
        """Return the metric."""
        return min(1.0, discounted(ranks.hits) / discounted(min(ranks.gold, k)))
