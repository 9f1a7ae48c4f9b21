"""Runs retrieval on the span corpora as a pipeline would, for any settings, and scores each question."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.statistics.intervals import Estimate, Term, estimate
from rag_pipeline.consolidators.base import consolidators
from rag_pipeline.embedders.base import embedders
from rag_pipeline.indexing.chunk_table import ChunkTable
from rag_pipeline.indexing.chunk_vectors import ChunkVectors
from rag_pipeline.indexing.embedding_cache import CachedEmbedder
from rag_pipeline.indexing.index_store import ChunkIndex
from rag_pipeline.pipeline.chunking import chunk_documents
from rag_pipeline.pipeline.retrieval import Retrieval
from rag_pipeline.retrievers.base import retrievers
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Query, SourceDoc, Span
from tests.bench.corpora import Asked
from tests.bench.span_scores import as_row, omega_of, score_spans

MODEL = "all-MiniLM-L6-v2"
TOP = 5

Scores = npt.NDArray[np.float64]
"""Shape (questions, measures), each 0..1, columns as in MEASURES."""


class SpanBench:
    """The documents and questions, and one index at a time: settings with the same chunks come one after the other."""

    def __init__(self, documents: Sequence[SourceDoc], asked: Sequence[Asked], cache: Path) -> None:
        self.documents = list(documents)
        self.asked = list(asked)
        self._cache = cache
        self._embedders: dict[str, CachedEmbedder] = {}
        self._index: tuple[str, ChunkIndex, list[float]] | None = None

    def embedder(self, mode: str) -> CachedEmbedder:
        """Return MiniLM, its vectors kept on disk."""
        if mode not in self._embedders:
            self._embedders[mode] = CachedEmbedder(embedders.get("local")(MODEL, mode), self._cache)
        return self._embedders[mode]

    def score(self, settings: Mapping[str, Any]) -> Scores:
        """Retrieve five chunks for each question with these settings of the pipeline and score them."""
        spec = PipelineSpec.create({"top_k": TOP} | dict(settings), drop_unread=True)
        if not spec.needs_chunks:  # the oracle
            empty = ChunkIndex.of(
                self.documents, ChunkTable.of([]), np.zeros((0, 0), np.float32), self.embedder("mean")
            )
            return self._retrieved(spec, empty, [1.0] * len(self.asked))
        if self._index is None or self._index[0] != spec.index_fingerprint:
            table = chunk_documents(self.documents, spec, self.embedder(spec.core.embed_mode))
            self._index = (spec.index_fingerprint, *self.indexed(table, spec.core.embed_mode))
        return self._retrieved(spec, *self._index[1:])

    def indexed(self, table: ChunkTable, mode: str) -> tuple[ChunkIndex, list[float]]:
        """Return the index of some chunks, and omega for each question: of the parents, where there are some."""
        vectors = ChunkVectors(self.documents, table, self.embedder(mode)).vectors()
        index = ChunkIndex.of(self.documents, table, vectors, self.embedder(mode))
        rows = table.spans
        if table.parents is not None:
            rows = np.unique(np.column_stack([rows[:, :1], table.parents]), axis=0)
        return index, [omega_of(rows, each.references) for each in self.asked]

    def score_chunks(self, table: ChunkTable, mode: str) -> Scores:
        """Score chunks of another make, retrieved by their vectors."""
        return self._retrieved(PipelineSpec.create({"top_k": TOP}), *self.indexed(table, mode))

    def _retrieved(self, spec: PipelineSpec, index: ChunkIndex, omegas: Sequence[float]) -> Scores:
        queries = [Query(each.text, each.references) for each in self.asked]
        found = asyncio.run(self._retrieval(spec, index).retrieve_many(queries))
        rows = []
        for each, asked, omega in zip(found, self.asked, omegas, strict=True):
            if each.error is not None:
                raise each.error
            rows.append(as_row(score_spans([hit.span for hit in each.hits], asked.references, omega)))
        return np.asarray(rows, np.float64)

    def _retrieval(self, spec: PipelineSpec, index: ChunkIndex) -> Retrieval:
        unit = consolidators.get(spec.core.consolidate) if "consolidate" in spec.options else None
        consolidator = unit(spec.options["consolidate"], self.embedder("mean").embed_passages) if unit else None
        return Retrieval(
            documents={doc.id: doc for doc in self.documents},
            retriever=retrievers.get(spec.core.retriever)(index, spec.options["retriever"]),
            top_k=spec.core.top_k,
            parent_of=_parents(index),
            consolidator=consolidator,
        )


def _parents(index: ChunkIndex) -> Callable[[Span], Span] | None:
    if index.parents is None:
        return None
    parents = {index.span(row): index.parent(row) or index.span(row) for row in range(len(index))}
    return parents.__getitem__


def mean_of(values: Sequence[float]) -> Estimate:
    """Return the mean over questions with its 95 % interval."""
    return estimate([Term([float(value) for value in values], clusters(len(values)))])


def clusters(count: int) -> list[tuple[str, str]]:
    """Return a cluster for each question: they are independent."""
    return [("question", f"{number:04}") for number in range(count)]


def per_cent(found: Estimate) -> str:
    """Return a mean and its interval in per cent."""
    return f"{100 * found.mean:.1f} ({100 * found.low:.1f}–{100 * found.high:.1f})"
