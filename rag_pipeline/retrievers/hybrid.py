"""Hybrid: dense and BM25 together, by their ranks."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from rag_pipeline.registry import UnitOptions
from rag_pipeline.retrievers.base import Retriever, retrievers
from rag_pipeline.retrievers.bm25 import Bm25Retriever
from rag_pipeline.retrievers.dense import DenseRetriever
from rag_pipeline.retrievers.fusion import fuse_rows
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
        if not queries:
            return []
        depth = max(top_k, DEPTH)
        texts = [query.text for query in queries]
        nearest = self.index.search(self.index.embedder.embed_queries(texts), depth)[1]
        words = self.index.words.search(texts, depth)
        weights = (self.options.hybrid_weight, 1 - self.options.hybrid_weight)
        found = []
        for near, (by_words, _) in zip(nearest, words, strict=True):
            fused = fuse_rows((near, by_words), self.index.spans, top_k, weights)
            found.append([Hit(self.index.span(row), score, rank) for rank, (row, score) in enumerate(fused, 1)])
        return found

    def fused_of(self) -> tuple[tuple[Retriever, float], ...]:
        """Return dense and BM25 with their weights."""
        share = self.options.hybrid_weight
        return (DenseRetriever(self.index), share), (Bm25Retriever(self.index), 1 - share)
