"""Dense retrieval: nearest chunks by cosine of their embeddings."""

from __future__ import annotations

from collections.abc import Sequence

from rag_pipeline.retrievers.base import Retriever, retrievers
from rag_pipeline.types import Hit, Query


@retrievers.register
class DenseRetriever(Retriever):
    """Exact search by inner product of unit vectors; the score is the cosine, -1..1."""

    key = "dense"
    label = "Dense"
    help = "Finds chunks of like meaning, also in other words."

    def retrieve_many(self, queries: Sequence[Query], top_k: int) -> list[list[Hit]]:
        """Embed and search all queries in one batch."""
        if not queries:
            return []
        vectors = self.index.embedder.embed_queries([query.text for query in queries])
        scores, rows = self.index.search(vectors, top_k)
        return [
            [
                Hit(self.index.span(int(row)), float(score), rank)
                for rank, (score, row) in enumerate(zip(line, places, strict=True), 1)
            ]
            for line, places in zip(scores, rows, strict=True)
        ]
