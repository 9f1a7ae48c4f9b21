"""The vectors of a table of chunks: each chunk embedded as a text, or late, from its document's tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rag_pipeline.embedders.base import Vectors
from rag_pipeline.indexing.chunk_table import ChunkTable
from rag_pipeline.indexing.embedding_cache import CachedEmbedder
from rag_pipeline.types import SourceDoc

LATE = "late"


class ChunkVectors:
    """What must be computed for the chunks of some documents, and their vectors in the order of the table.

    By `embed_mode=late` the chunks' headings are not embedded: they stand in the document itself. The unit of
    progress is a text, or a window of a document.
    """

    def __init__(self, documents: Sequence[SourceDoc], table: ChunkTable, embedder: CachedEmbedder) -> None:
        self._documents = documents
        self._table = table
        self._embedder = embedder
        self._late = embedder.mode == LATE
        self._texts = [] if self._late else table.embedded_texts(documents)

    def missing(self) -> int:
        """Return how many texts or windows were never computed. Raises ConfigError where the model cannot."""
        if self._late:
            return sum(self._embedder.tokens.unread(text) for text in {doc.text for doc in self._documents})
        return len(self._embedder.unseen(self._texts))

    def compute(self) -> Iterator[int]:
        """Compute what is missing; yield how much is done so far. Stop whenever you like: what is done is kept."""
        if not self._late:
            yield from self._embedder.embed_progressively(self._texts)
            return
        done = 0
        for doc in self._documents:
            for count in self._embedder.tokens.read(doc.text):
                done += count
                yield done

    def vectors(self) -> Vectors:
        """Return the vectors, computing what is missing. Raises ProviderError."""
        if not self._late:
            return self._embedder.embed_passages(self._texts)
        spans, tokens = self._table.spans, self._embedder.tokens
        rows = {doc.id: np.flatnonzero(spans[:, 0] == doc.id) for doc in self._documents}
        parts = {
            doc.id: tokens.pooled(doc.text, spans[rows[doc.id], 1:]) for doc in self._documents if len(rows[doc.id])
        }
        if not parts:
            return np.zeros((0, 0), np.float32)
        found = np.empty((len(spans), next(iter(parts.values())).shape[1]), np.float32)
        for document, vectors in parts.items():
            found[rows[document]] = vectors
        tokens.forget_oldest()
        return found
