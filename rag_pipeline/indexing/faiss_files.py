"""Indexes as files that others read: `index.faiss`, and `chunks.jsonl` with a line for each of its vectors.

A line has document, start, end (offsets in the document's text), text, and heading where there is one. Files of other
programs are read by FAISS' own reader; nothing is unpickled, so that a file can hold no command.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rag_pipeline.embedders.base import Vectors
from rag_pipeline.errors import ConfigError
from rag_pipeline.indexing.index_store import ChunkIndex

INDEX, CHUNKS = "index.faiss", "chunks.jsonl"
_BLOCK = 65_536


@dataclass(frozen=True, slots=True)
class FaissFiles:
    """An index of FAISS with what its rows stand for: objects with a `text`, and whatever else a line says."""

    index: Any
    rows: tuple[Mapping[str, Any], ...]

    def search(self, query: Vectors, count: int) -> list[tuple[Mapping[str, Any], float]]:
        """Return the nearest rows of one question, shape (dimension,), best first, with a score that falls.

        The score is the inner product, or the negative distance. Raises ConfigError for a vector of another length.
        """
        if len(query) != self.index.d:
            raise ConfigError(
                f"The index holds vectors of {self.index.d} numbers, the embedding gives {len(query)}. "
                "Name the embedding that the index was made with."
            )
        import faiss

        distances, places = self.index.search(np.ascontiguousarray(query[None], np.float32), count)
        sign = 1.0 if self.index.metric_type == faiss.METRIC_INNER_PRODUCT else -1.0
        pairs = zip(places[0].tolist(), distances[0].tolist(), strict=True)
        return [(self.rows[place], sign * distance) for place, distance in pairs if place >= 0]


def write_faiss_files(folder: Path, index: ChunkIndex, names: Mapping[int, str]) -> None:
    """Write an exact index of the chunks' vectors with their offsets. Raises ConfigError without vectors, OSError."""
    import faiss

    dimension = index.vectors.shape[1]
    if not dimension or not len(index):
        raise ConfigError("These settings embed no chunk, so there are no vectors to export. Choose retriever=dense.")
    flat = faiss.IndexFlatIP(dimension)
    for start in range(0, len(index), _BLOCK):
        flat.add(np.ascontiguousarray(index.vectors[start : start + _BLOCK], np.float32))
    folder.mkdir(parents=True, exist_ok=True)
    faiss.write_index(flat, str(folder / INDEX))
    with (folder / CHUNKS).open("w", encoding="utf-8", errors="replace") as file:
        for row in range(len(index)):
            span = index.span(row)
            line = span.as_named_json(names[span.document_id])
            heading = {"heading": index.heading(row)} if index.heading(row) else {}
            file.write(json.dumps(line | heading | {"text": index.text(row)}, ensure_ascii=False) + "\n")


def read_faiss_files(folder: Path) -> FaissFiles:
    """Read an index and its chunks. Raises ConfigError for what is not there, damaged, or of different lengths."""
    import faiss

    for name in (INDEX, CHUNKS):
        if not (folder / name).is_file():
            more = " (a docstore.pkl or index.pkl is never read: it may hold commands)" if name == CHUNKS else ""
            raise ConfigError(f"There is no {name} in {folder}{more}. Put {INDEX} and {CHUNKS} there.")
    try:
        index = faiss.read_index(str(folder / INDEX))
        lines = (folder / CHUNKS).read_text(encoding="utf-8").splitlines()
        rows = tuple(json.loads(line) for line in lines if line.strip())
    except (RuntimeError, OSError, ValueError) as error:
        raise ConfigError(
            f"{folder} holds no index that can be read ({' '.join(str(error).split())[:150]})."
        ) from error
    wrong = next((at for at, row in enumerate(rows, 1) if not (isinstance(row, dict) and _is_text(row))), None)
    if wrong is not None:
        raise ConfigError(f"Line {wrong} of {folder / CHUNKS} has no text. Each line is an object with a text.")
    if len(rows) != index.ntotal:
        raise ConfigError(f"{folder} has {index.ntotal:,} vectors but {len(rows):,} lines in {CHUNKS}.")
    return FaissFiles(index, rows)


def _is_text(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("text"), str)
