"""Hybrid: dense and BM25 together, by their ranks."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from rag_pipeline.registry import UnitOptions
from rag_pipeline.retrievers.base import Retriever, retrievers
from rag_pipeline.retrievers.bm25 import Bm25Retriever
from rag_pipeline.retrievers.dense import DenseRetriever
from rag_pipeline.retrievers.fusion import fuse
from rag_pipeline.types import Hit, Query

DEPTH = 200
"""How far down both rankings are read. Fixed, so that the first of many hits are those of a smaller top k."""


class HybridOptions(UnitOptions):
    """The share of each ranking."""

    hybrid_weight: float = Field(
        0.5, ge=0, le=1, title="Hybrid weight", description="Share of dense: 1 is dense alone, 0 is BM25 alone."
    )


@retrievers.register
class HybridRetriever(Retriever):
    """Fuses the first 200 of dense and of BM25 (more when more is asked for) by reciprocal rank; see `fusion`."""

    key = "hybrid"
    label = "Hybrid"
    help = "Dense and BM25 fused by rank: finds both like meaning and exact codes or names."
    Options = HybridOptions
    options: HybridOptions

    def retrieve_many(self, queries: Sequence[Query], top_k: int) -> list[list[Hit]]:
        """Ask both for all queries in one batch each, then fuse query by query."""
        depth = max(top_k, DEPTH)
        dense = DenseRetriever(self.index).retrieve_many(queries, depth)
        words = Bm25Retriever(self.index).retrieve_many(queries, depth)
        weights = (self.options.hybrid_weight, 1 - self.options.hybrid_weight)
        return [fuse(pair, top_k, weights) for pair in zip(dense, words, strict=True)]
