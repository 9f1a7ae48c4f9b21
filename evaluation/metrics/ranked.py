"""What the retrieval metrics by rank share: gold by ids or spans, and a cutoff."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar

from pydantic import Field

from evaluation.metrics.base import Metric, MetricContext
from evaluation.metrics.ranks import Ranks, ranks_of
from evaluation.types import Sample, Score
from rag_pipeline.registry import UnitOptions

IR_MEASURES = "as in trec_eval (ir-measures), binary gains"


class CutoffOptions(UnitOptions):
    """How many ranks count."""

    k: int | None = Field(None, ge=1, le=1000, title="k", description="Only the first k ranks; empty: all there are.")


class RankMetric(Metric):
    """Base of the metrics over the ranks of a retrieval: write `value`."""

    group: ClassVar[str] = "retrieval"
    kinds: ClassVar[frozenset[str]] = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"gold_ids"})
    reads_answer: ClassVar[bool] = False
    cannot_see: ClassVar[str] = "contexts that hold the answer and are not marked as gold; what the model makes of them"
    Options = CutoffOptions
    options: CutoffOptions

    @abstractmethod
    def value(self, ranks: Ranks, k: int) -> float:
        """Return the metric for ranks that are cut at `k`; `k` is at least 1."""

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the metric; nothing retrieved is 0."""
        ranks = ranks_of(sample)
        if ranks is None:
            return Score.unscored("the question has no gold ids")
        if not ranks.gains:
            return Score(0.0, "nothing was retrieved")
        k = self.options.k or len(ranks.gains)
        first = Ranks(ranks.gains[:k], ranks.gold, self.options.k or sample.ranks_asked)
        held = [str(rank) for rank, hit in enumerate(first.hits, 1) if hit]
        where = f"rank {', '.join(held)}" if held else "none"
        return Score(self.value(first, k), f"gold at: {where}; {ranks.gold} gold in all", {"gold_ranks": held})


def discounted(gains: int | list[bool]) -> float:
    """Return the discounted cumulative gain of binary gains; a number means so many gold ranks from the first on."""
    hits = [True] * gains if isinstance(gains, int) else gains
    return math.fsum(1 / math.log2(rank + 1) for rank, hit in enumerate(hits, 1) if hit)
