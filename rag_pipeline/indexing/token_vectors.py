"""Vectors of the tokens of documents, kept on disk: late chunking reads a document once for chunks of every size."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rag_pipeline.embedders.base import Embedder, Vectors
from rag_pipeline.embedders.late import LateWindows, tokens_within
from rag_pipeline.embedders.local import unit_length

PART = 32
"""Windows of a file: what is lost when a build is interrupted, and what lies in memory at once (12 MB)."""
_MOST_BYTES = 4 * 2**30
"""What the files of all models may take on disk; a megabyte of English takes about 180."""

Halves = npt.NDArray[np.float16]


class TokenVectors:
    """Token vectors of one embedder in `<folder>/<hash of the fingerprint>/<hash of the text>.<part>.npy`, float16.

    Rounding them to half precision moves no mean of tokens by more than 0.0001 of cosine. Safe with several processes:
    they may read the same windows twice, never store them wrongly.
    """

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        self._all = folder
        self._folder = folder / hashlib.sha256(embedder.fingerprint.encode()).hexdigest()[:24]

    def unread(self, text: str) -> int:
        """Return how many windows of a text were never read. Raises ConfigError where the model gives no tokens."""
        windows = self._embedder.late_windows(text)
        return sum(len(numbers) for numbers, file in self._parts(text, windows) if not file.exists())

    def read(self, text: str) -> Iterator[int]:
        """Read what was never read, part by part; yield the number of windows of each."""
        for numbers, file in self._parts(text, self._embedder.late_windows(text)):
            if not file.exists():
                self._make(text, numbers, file)
                yield len(numbers)

    def pooled(self, text: str, spans: npt.NDArray[np.int64]) -> Vectors:
        """Return the mean of the vectors of the tokens in each span (start, end), scaled to length 1.

        A text without any token is embedded as a text by itself.
        """
        windows = self._embedder.late_windows(text)
        if not len(windows):
            return np.repeat(self._embedder.embed_passages([text]), len(spans), axis=0)
        edges = tokens_within(self._embedder.token_offsets(text), spans)
        sums: Vectors | None = None
        for numbers, file in self._parts(text, windows):
            vectors = self._opened(text, numbers, file)
            sums = np.zeros((len(spans), vectors.shape[1]), np.float32) if sums is None else sums
            _add(sums, vectors, edges - windows.home(numbers[0])[0])
        assert sums is not None
        return unit_length(sums)

    def forget_oldest(self, most: int = _MOST_BYTES) -> None:
        """Delete the files used longest ago, of all models, until the rest takes no more than `most` bytes."""
        files = sorted(((file.stat(), file) for file in self._all.rglob("*.npy")), key=lambda each: -each[0].st_mtime)
        total = 0
        for state, file in files:
            total += state.st_size
            if total > most:
                file.unlink(missing_ok=True)

    def _parts(self, text: str, windows: LateWindows) -> Iterator[tuple[range, Path]]:
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        for number, start in enumerate(range(0, len(windows), PART)):
            yield range(start, min(start + PART, len(windows))), self._folder / f"{key}.{number}.npy"

    def _make(self, text: str, numbers: range, file: Path) -> None:
        vectors = self._embedder.token_vectors(text, numbers).astype(np.float16)
        self._folder.mkdir(parents=True, exist_ok=True)
        beside = file.with_suffix(f".{os.getpid()}.tmp")
        with beside.open("wb") as opened:
            np.save(opened, vectors, allow_pickle=False)
        beside.rename(file)

    def _opened(self, text: str, numbers: range, file: Path) -> Halves:
        """Return a part, memory-mapped; read again where another process has just forgotten it, or it is damaged."""
        try:
            vectors: Halves = np.load(file, mmap_mode="r", allow_pickle=False)
            os.utime(file)
        except (OSError, ValueError):
            self._make(text, numbers, file)
            vectors = np.load(file, mmap_mode="r", allow_pickle=False)
        return vectors


def _add(sums: Vectors, vectors: Halves, edges: npt.NDArray[np.int64]) -> None:
    """Add to each row of `sums` the vectors between its edges, as far as they lie among these."""
    inside = np.clip(edges, 0, len(vectors))
    for row in np.flatnonzero(inside[:, 0] < inside[:, 1]):
        first, last = inside[row]
        sums[row] += vectors[first:last].sum(axis=0, dtype=np.float32)
