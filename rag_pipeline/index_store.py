"""Chunk index: spans and their vectors, in memory and on disk, searched exactly with FAISS."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rag_pipeline.embedders.base import Embedder, Vectors
from rag_pipeline.types import SourceDoc, Span

_FORMAT = 1


@dataclass(frozen=True)
class ChunkIndex:
    """Chunks of some documents with their vectors; row i of both belongs together.

    `spans`: int64 of shape (n, 3), document id, start, end. `vectors`: float32 of shape (n, dimension), length 1.
    """

    documents: dict[int, SourceDoc]
    spans: npt.NDArray[np.int64]
    vectors: Vectors
    embedder: Embedder

    def __len__(self) -> int:
        return len(self.spans)

    def span(self, row: int) -> Span:
        """Return chunk `row` as a span."""
        document_id, start, end = (int(value) for value in self.spans[row])
        return Span(document_id, start, end)

    def text(self, row: int) -> str:
        """Return the text of chunk `row`."""
        span = self.span(row)
        return self.documents[span.document_id].text[span.start : span.end]

    @cached_property
    def faiss(self) -> Any:
        """The exact inner-product index over the vectors, made on first use."""
        import faiss

        index = faiss.IndexFlatIP(self.vectors.shape[1])
        index.add(self.vectors)
        return index

    def search(self, queries: Vectors, top_k: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
        """Return (scores, rows), each of shape (questions, min(top_k, n)), best first, ties by row."""
        count = min(top_k, len(self))
        if count == 0:
            empty = (len(queries), 0)
            return np.zeros(empty, np.float32), np.zeros(empty, np.int64)
        scores, rows = self.faiss.search(np.ascontiguousarray(queries, dtype=np.float32), count)
        # FAISS leaves ties in the order of its heap: sort them by position, so that results repeat.
        for line in range(len(rows)):
            order = np.lexsort((rows[line], -scores[line]))
            scores[line], rows[line] = scores[line][order], rows[line][order]
        return scores, rows


def save_index(folder: Path, spans: npt.NDArray[np.int64], vectors: Vectors, meta: dict[str, Any]) -> None:
    """Write spans and vectors as npy with checksums; the folder appears whole or not at all."""
    temporary = folder.with_name(f"{folder.name}.{os.getpid()}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    checksums = {}
    for name, array in (("spans", spans), ("vectors", vectors)):
        path = temporary / f"{name}.npy"
        np.save(path, array, allow_pickle=False)
        checksums[name] = _checksum(path)
    (temporary / "meta.json").write_text(json.dumps(meta | {"format": _FORMAT, "checksums": checksums}))
    if not _intact(folder):  # another process that wrote it first may be reading it: leave that alone
        shutil.rmtree(folder, ignore_errors=True)
        try:
            temporary.rename(folder)
        except OSError:
            if not _intact(folder):
                raise
    shutil.rmtree(temporary, ignore_errors=True)


def _intact(folder: Path) -> bool:
    """Tell whether an index of this format is there, undamaged."""
    try:
        meta = json.loads((folder / "meta.json").read_text())
        checksums = meta["checksums"].items()
        return meta["format"] == _FORMAT and all(
            _checksum(folder / f"{name}.npy") == known for name, known in checksums
        )
    except (OSError, ValueError, KeyError):
        return False


def load_index(folder: Path, documents: Sequence[SourceDoc], embedder: Embedder) -> ChunkIndex | None:
    """Read an index back; None when it is absent, damaged or of another format (it is then built again)."""
    if not _intact(folder):
        return None
    try:
        spans = np.load(folder / "spans.npy", allow_pickle=False)
        vectors = np.load(folder / "vectors.npy", allow_pickle=False)
    except (OSError, ValueError, KeyError):
        return None
    return ChunkIndex({doc.id: doc for doc in documents}, spans, vectors, embedder)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
