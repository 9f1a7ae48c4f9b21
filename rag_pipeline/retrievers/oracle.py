"""The oracle: the gold evidence itself, the ceiling for prompt and model."""

from __future__ import annotations

from collections.abc import Sequence

from rag_pipeline.retrievers.base import Retriever, retrievers
from rag_pipeline.types import Hit, Query


@retrievers.register
class OracleRetriever(Retriever):
    """Returns the evidence spans in the order of the test set, each once, score 1; none where there is no evidence."""

    key = "oracle"
    label = "Oracle"
    help = "Gives the gold evidence itself: the ceiling for prompt and model, in evaluations only."
    needs_vectors = False
    needs_chunks = False
    needs_evidence = True

    def retrieve_many(self, queries: Sequence[Query], top_k: int) -> list[list[Hit]]:
        """Return the evidence of each query."""
        return [
            [Hit(span, 1.0, rank) for rank, span in enumerate(list(dict.fromkeys(query.evidence))[:top_k], 1)]
            for query in queries
        ]
