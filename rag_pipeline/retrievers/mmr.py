"""Maximal marginal relevance: near the question, and not the same thing again (Carbonell, Goldstein: SIGIR 1998)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from pydantic import Field

from rag_pipeline.registry import UnitOptions
from rag_pipeline.retrievers.base import Retriever, retrievers
from rag_pipeline.retrievers.dense import DenseRetriever
from rag_pipeline.types import Hit, Query


class MmrOptions(UnitOptions):
    """How much nearness counts against novelty."""

    mmr_lambda: float = Field(
        0.5, ge=0, le=1, title="MMR lambda", description="1: only nearness to the question; 0: only novelty."
    )


@retrievers.register
class MmrRetriever(Retriever):
    """Chooses one by one among the 4 · top_k nearest chunks (20 at least).

    The score is what a chunk was chosen by: lambda · cosine to the question - (1 - lambda) · the highest cosine to one
    chosen before it. An opposite (a negative cosine) counts as no likeness, so that scores never rise with the rank.
    """

    key = "mmr"
    label = "MMR"
    help = "Dense, but passes over chunks that say the same again: for repetitive documents and broad questions."
    Options = MmrOptions
    options: MmrOptions

    def retrieve_many(self, queries: Sequence[Query], top_k: int) -> list[list[Hit]]:
        """Embed and search all queries in one batch, then choose for each."""
        if not queries:
            return []
        vectors = self.index.embedder.embed_queries([query.text for query in queries])
        scores, rows = self.index.search(vectors, max(4 * top_k, 20))
        found = []
        for line, pool in zip(scores, rows, strict=True):
            chosen, values = choose(line, self.index.vectors[pool], top_k, self.options.mmr_lambda)
            found.append(
                [
                    Hit(self.index.span(int(pool[place])), value, rank)
                    for rank, (place, value) in enumerate(zip(chosen, values, strict=True), 1)
                ]
            )
        return found

    def to_the_end(self) -> Retriever:
        """Return the ranking by nearness alone: what is passed over depends on how many are chosen."""
        return DenseRetriever(self.index)


def choose(
    nearness: npt.NDArray[np.float32], vectors: npt.NDArray[np.float32], count: int, share: float
) -> tuple[list[int], list[float]]:
    """Return the places chosen of a pool that is ordered by nearness, and the values they were chosen by.

    `nearness`: cosines to the question, shape (pool,). `vectors`: shape (pool, dimension), length 1. `share`: lambda.
    Ties go to the earlier place.
    """
    likeness = vectors @ vectors.T
    left = share * nearness
    highest = np.zeros_like(nearness)
    chosen: list[int] = []
    values: list[float] = []
    for _ in range(min(count, len(nearness))):
        value = left - (1 - share) * highest
        place = int(np.argmax(value))
        chosen.append(place)
        values.append(float(value[place]))
        left[place] = -np.inf
        highest = np.maximum(highest, likeness[place])
    return chosen, values
