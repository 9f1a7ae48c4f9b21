"""Encodes tokens with the OpenVINO graph of a BERT model: quick to start, quick to run, no torch."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag_pipeline.embedders.base import Vectors
from rag_pipeline.embedders.bert_graph import build, can_build
from rag_pipeline.embedders.streams import Array, Streams, batches_of, padded

Row = Sequence[int] | Array
"""Ids of the tokens of a text, special ones included, no more than the model reads at once."""

_TEXTS, _TOKENS = 0, 1
"""Outputs of the graph."""


class FastEncoder:
    """One compiled model. May be called from several threads."""

    def __init__(self, folder: Path) -> None:
        self._streams = Streams(build(folder))
        self.dimension = self._streams.width()

    def encode(self, rows: Sequence[Row]) -> Vectors:
        """Return unit vectors of shape (n, dimension)."""
        vectors = np.zeros((len(rows), self.dimension), np.float32)

        def keep(values: Array, batch: list[int]) -> None:
            vectors[batch] = values

        self._streams.run(_batches(rows), keep, _TEXTS)
        return vectors

    def token_vectors(self, rows: Sequence[Row]) -> list[Vectors]:
        """Return the vectors of the tokens of each row, float32 of shape (tokens, dimension), of any length."""
        found: list[Any] = [None] * len(rows)

        def keep(values: Array, batch: list[int]) -> None:
            for line, place in enumerate(batch):
                found[place] = np.array(values[line, : len(rows[place])], np.float32)

        self._streams.run(_batches(rows), keep, _TOKENS)
        return found


def _batches(rows: Sequence[Row]) -> Iterator[tuple[tuple[Array, Array], list[int]]]:
    """Yield padded batches with the places of their rows."""
    for batch in batches_of(rows):
        yield padded([rows[place] for place in batch]), batch


def can_encode(folder: Path) -> bool:
    """True when this machine and this model allow the fast way: OpenVINO is there, a GPU is not."""
    return importlib.util.find_spec("openvino") is not None and not Path("/dev/nvidia0").exists() and can_build(folder)
