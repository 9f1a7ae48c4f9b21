"""Chunk index: spans and their vectors, on disk and mapped into memory, searched exactly or nearly so."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rag_pipeline.embedders.base import Embedder, Vectors
from rag_pipeline.indexing.chunk_table import ChunkTable, under_heading
from rag_pipeline.indexing.exact_search import search_exactly
from rag_pipeline.indexing.neighbours import NearIndex, Neighbours
from rag_pipeline.indexing.word_index import WordIndex
from rag_pipeline.types import SourceDoc, Span

_FORMAT = 2
_HEADINGS = "headings.json"
_VECTORS = "vectors.npy"
_NEIGHBOURS = "neighbours.faiss"
_LARGE = (_VECTORS, _NEIGHBOURS)
"""Files that are only read through for their checksum where they are not as they were left: opening takes no time."""


@dataclass(frozen=True)
class ChunkIndex:
    """Chunks of some documents with their vectors; row i of all parts belongs together.

    `spans`: int64 of shape (n, 3), document id, start, end. `vectors`: float32 of shape (n, dimension), length 1, or
    (n, 0) for retrievers that need none. `headings`: n heading paths, or none at all. `parents`: int64 of shape (n, 2),
    start and end of the larger span that the model gets for the chunk; None for chunkers without parents. `near`: the
    approximate index over the vectors, where there are very many; None for exact search.
    """

    documents: dict[int, SourceDoc]
    spans: npt.NDArray[np.int64]
    vectors: Vectors
    embedder: Embedder
    headings: tuple[str, ...] = ()
    parents: npt.NDArray[np.int64] | None = None
    near: NearIndex | None = None

    @classmethod
    def of(
        cls,
        documents: Sequence[SourceDoc],
        table: ChunkTable,
        vectors: Vectors,
        embedder: Embedder,
        near: NearIndex | None = None,
    ) -> ChunkIndex:
        """Return the index of a table of chunks."""
        by_id = {doc.id: doc for doc in documents}
        return cls(by_id, table.spans, vectors, embedder, table.headings, table.parents, near)

    def __len__(self) -> int:
        return len(self.spans)

    def span(self, row: int) -> Span:
        """Return chunk `row` as a span."""
        return Span(*self.spans[row].tolist())

    def text(self, row: int) -> str:
        """Return the text of chunk `row`."""
        span = self.span(row)
        return self.documents[span.document_id].text[span.start : span.end]

    def heading(self, row: int) -> str:
        """Return the path of headings above chunk `row`, or an empty text."""
        return self.headings[row] if self.headings else ""

    def embedded_text(self, row: int) -> str:
        """Return the text of chunk `row` under its headings, as it was embedded."""
        return under_heading(self.heading(row), self.text(row))

    def parent(self, row: int) -> Span | None:
        """Return the larger span that chunk `row` was cut from, or None."""
        if self.parents is None:
            return None
        start, end = (int(value) for value in self.parents[row])
        return Span(int(self.spans[row, 0]), start, end)

    @cached_property
    def parent_of(self) -> Callable[[Span], Span] | None:
        """The look-up from a chunk to its parent, made on first use; None for chunks without parents."""
        if self.parents is None:
            return None
        parents: dict[Span, Span] = {}
        for row in range(len(self)):
            parent = self.parent(row)
            if parent is not None:
                parents.setdefault(self.span(row), parent)
        return parents.__getitem__

    def restricted(self, document_ids: AbstractSet[int]) -> ChunkIndex:
        """Return the index of these documents alone, rows in the same order."""
        rows = np.flatnonzero(np.isin(self.spans[:, 0], list(document_ids)))
        return ChunkIndex(
            {key: doc for key, doc in self.documents.items() if key in document_ids},
            self.spans[rows],
            self.vectors[rows],
            self.embedder,
            tuple(self.headings[row] for row in rows) if self.headings else (),
            None if self.parents is None else self.parents[rows],
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of a search by vectors, in words."""
        return (self.near.facts.note,) if self.near is not None else ()

    @cached_property
    def words(self) -> WordIndex:
        """The BM25 index over the chunks under their headings, made on first use."""
        return WordIndex([self.embedded_text(row) for row in range(len(self))])

    def search(self, queries: Vectors, top_k: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
        """Return (scores, rows), each of shape (questions, min(top_k, n)), best first, ties by row."""
        if self.near is not None:
            return self.near.search(self.vectors, queries, top_k)
        return search_exactly(self.vectors, queries, top_k)


def save_index(
    folder: Path,
    table: ChunkTable,
    vectors: Vectors,
    meta: dict[str, Any],
    build: Callable[[Path], Neighbours] | None = None,
) -> None:
    """Write chunks and vectors with checksums; the folder appears whole or not at all.

    `build` writes an approximate index over the vectors to a file and returns what is known of it.
    """
    temporary = folder.with_name(f"{folder.name}.{os.getpid()}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    for name, array in (("spans", table.spans), ("vectors", vectors), ("parents", table.parents)):
        if array is not None:
            np.save(temporary / f"{name}.npy", array, allow_pickle=False)
    (temporary / _HEADINGS).write_text(json.dumps(table.headings))
    if build is not None:
        meta = meta | {"neighbours": asdict(build(temporary / _NEIGHBOURS))}
    meta = meta | {"left": {name: _state(temporary / name) for name in _LARGE if (temporary / name).exists()}}
    checksums = {path.name: _checksum(path) for path in sorted(temporary.iterdir())}
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
    """Tell whether an index of this format is there, undamaged. Large files are trusted while nobody wrote to them."""
    try:
        meta = json.loads((folder / "meta.json").read_text())
        checksums = meta["checksums"].items()
        left = meta.get("left", {})
        return meta["format"] == _FORMAT and all(
            left.get(name) == _state(folder / name) or _checksum(folder / name) == known for name, known in checksums
        )
    except (OSError, ValueError, KeyError):
        return False


def load_index(folder: Path, documents: Sequence[SourceDoc], embedder: Embedder) -> ChunkIndex | None:
    """Read an index back; None when it is absent, damaged or of another format (it is then built again)."""
    if not _intact(folder):
        return None
    try:
        headings = tuple(json.loads((folder / _HEADINGS).read_text()))
        spans, vectors = np.load(folder / "spans.npy", allow_pickle=False), _mapped(folder / _VECTORS)
        parents = folder / "parents.npy"
        table = ChunkTable(spans, headings, np.load(parents, allow_pickle=False) if parents.exists() else None)
        facts = json.loads((folder / "meta.json").read_text()).get("neighbours")
        near = NearIndex(Neighbours(**facts), folder / _NEIGHBOURS) if facts else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return ChunkIndex.of(documents, table, vectors, embedder, near)


def _mapped(file: Path) -> Vectors:
    """Return the vectors of a file without reading it; those of no dimension, which cannot be mapped, are read."""
    try:
        vectors: Vectors = np.load(file, mmap_mode="r", allow_pickle=False)
    except ValueError:
        vectors = np.load(file, allow_pickle=False)
    return vectors


def _state(file: Path) -> list[int]:
    """Return what changes when somebody writes to a file, or puts another in its place."""
    info = file.stat()
    return [info.st_size, info.st_mtime_ns, info.st_ino]


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
