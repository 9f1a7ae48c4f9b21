"""Retrievers: questions to ranked chunks of an index."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from rag_pipeline.indexing.index_store import ChunkIndex
from rag_pipeline.registry import Registry, Unit
from rag_pipeline.types import Hit, Query, SourceDoc


class Retriever(Unit):
    """Ranks the chunks of `index`; all questions of a run in one call.

    `needs_vectors`: without it no chunk is embedded. `needs_chunks`: without it no document is cut.
    `needs_evidence`: works only where the gold evidence is known. `repeatable`: what it finds depends on settings and
    documents alone, so that an earlier run's answers may stand for it. `passages`: texts among the hits that stand in
    no document, by id; it grows as questions are asked.
    """

    needs_vectors: ClassVar[bool] = True
    needs_chunks: ClassVar[bool] = True
    needs_evidence: ClassVar[bool] = False
    repeatable: ClassVar[bool] = True

    def __init__(self, index: ChunkIndex, options: object = None) -> None:
        super().__init__(options)
        self.index = index
        self.passages: dict[int, SourceDoc] = {}

    @abstractmethod
    def retrieve_many(self, queries: Sequence[Query], top_k: int) -> list[list[Hit]]:
        """Return per query at most `top_k` hits, best first, ties in order of position, ranks from 1.

        Raises ProviderError where something outside is asked.
        """

    def fused_of(self) -> tuple[tuple[Retriever, float], ...]:
        """Return the retrievers whose rankings it fuses, each with its weight: itself alone, unless it fuses any."""
        return ((self, 1.0),)

    def to_the_end(self) -> Retriever:
        """Return what ranks the whole index as this does: itself, unless the order depends on how many are wanted."""
        return self


retrievers: Registry[Retriever] = Registry("retriever", "rag_pipeline.retrievers")
