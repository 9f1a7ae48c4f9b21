"""Chunks of some documents as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rag_pipeline.types import Chunk, SourceDoc


@dataclass(frozen=True)
class ChunkTable:
    """Chunks of some documents in order of document and position; row i of all parts belongs together.

    `spans`: int64 of shape (n, 3), document id, start, end. `headings`: n heading paths, empty ones where there are
    none. `parents`: int64 of shape (n, 2), start and end in the same document; None for chunkers without parents.
    """

    spans: npt.NDArray[np.int64]
    headings: tuple[str, ...]
    parents: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.spans)

    @classmethod
    def of(cls, chunks: Sequence[Chunk]) -> ChunkTable:
        """Return the table of some chunks. A chunk without a parent among others with one is its own."""
        rows = [(chunk.span.document_id, chunk.span.start, chunk.span.end) for chunk in chunks]
        parents = None
        if any(chunk.parent is not None for chunk in chunks):
            around = [chunk.parent or chunk.span for chunk in chunks]
            parents = np.asarray([(span.start, span.end) for span in around], np.int64)
        return cls(np.asarray(rows, np.int64).reshape(-1, 3), tuple(chunk.heading for chunk in chunks), parents)

    def embedded_texts(self, documents: Sequence[SourceDoc]) -> list[str]:
        """Return what is embedded for each chunk: its text, under its headings where it has some."""
        texts = {doc.id: doc.text for doc in documents}
        rows = zip(self.spans.tolist(), self.headings, strict=True)
        return [under_heading(heading, texts[document][start:end]) for (document, start, end), heading in rows]


def under_heading(heading: str, text: str) -> str:
    """Return a chunk's text as it is embedded: heading path and text, each on its own line."""
    return f"{heading}\n{text}" if heading else text
