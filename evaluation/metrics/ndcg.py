"""Retrieval: gold contexts early, later ones discounted."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.ranked import IR_MEASURES, RankMetric, discounted
from evaluation.metrics.ranks import Ranks
from evaluation.metrics.worked import WorkedExample


@metrics.register
class Ndcg(RankMetric):
    """Discounted cumulative gain over that of the best order.

    The ideal holds all gold, up to as many ranks as were asked for: k, else top k of the run. Of another system's
    answers that is not known: without k the ideal holds all gold. Spans that came in one context take one rank of it.
    """

    key = "ndcg"
    label = "nDCG"
    known_as = {"TruLens": ("ndcg_at_k",)}
    help = "Gold contexts count the more the earlier they come."
    formula = (
        "sum of 1 / log2(rank + 1) over gold ranks / the same for the ideal order: all gold, up to k or top k ranks"
    )
    source = f"Järvelin and Kekäläinen 2002; {IR_MEASURES}"
    revision = 2
    changes = (
        "the ideal is cut at the ranks that were asked for (k, else top k of a run, else not at all), it was at those "
        "that came back, so that one hit of three gold contexts could score 1; spans in one context take one rank of it"
    )
    worked = WorkedExample(
        0.693,
        "Gold at ranks 2 and 3: 1/log2(3) + 1/log2(4) = 1.131; at best, at ranks 1 and 2: 1 + 1/log2(3) = 1.631.",
        context_ids=("c", "a", "b"),
        gold_ids=("a", "b"),
        contexts=("C", "A", "B"),
    )

    def value(self, ranks: Ranks, k: int) -> float:
        """Return the metric."""
        best = ranks.gold - sum(ranks.gains) + sum(ranks.hits)
        return min(1.0, discounted(ranks.hits) / discounted(min(best, ranks.asked or best)))
