"""BM25: chunks that share the question's words, rare words first."""

from __future__ import annotations

from collections.abc import Sequence

from rag_pipeline.retrievers.base import Retriever, retrievers
from rag_pipeline.types import Hit, Query


@retrievers.register
class Bm25Retriever(Retriever):
    """Search by words (see `word_index`). A chunk that shares no word with the question is no hit: there may be fewer
    than asked for, or none.
    """

    key = "bm25"
    label = "BM25"
    help = "Finds chunks by their words: part numbers, codes, names and rare terms. Embeds nothing."
    needs_vectors = False

    def retrieve_many(self, queries: Sequence[Query], top_k: int) -> list[list[Hit]]:
        """Search the words of each query."""
        return [
            [
                Hit(self.index.span(row), score, rank)
                for rank, (row, score) in enumerate(zip(rows.tolist(), scores.tolist(), strict=True), 1)
            ]
            for rows, scores in self.index.words.search([query.text for query in queries], top_k)
        ]
