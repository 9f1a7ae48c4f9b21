"""Embeddings kept on disk by content: the same text under the same model is embedded once, ever."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from rag_pipeline.embedders.base import Embedder, Offsets, Vectors
from rag_pipeline.embedders.late import LateWindows
from rag_pipeline.indexing.token_vectors import TokenVectors
from rag_pipeline.vector_files import VectorFile, text_key

_HELD = 16 * 2**20
"""Bytes of vectors that are held in memory: scoring asks for those of the same words with every block of rows."""


def _blocks(texts: Sequence[str], characters: int) -> Iterator[list[str]]:
    """Yield texts in blocks of so many characters: what is embedded between two writes and two reports."""
    block: list[str] = []
    size = 0
    for text in texts:
        if block and size + len(text) > characters:
            yield block
            block, size = [], 0
        block.append(text)
        size += len(text)
    if block:
        yield block


class CachedEmbedder(Embedder):
    """An embedder in front of a `VectorFile` of its fingerprint."""

    key = "cached"

    def __init__(self, inner: Embedder, folder: Path) -> None:
        super().__init__(inner.name, inner.mode)
        self.inner = inner
        self._folder = folder
        self._held: dict[tuple[str, bytes], Vectors] = {}
        self.tokens = TokenVectors(inner, folder / "tokens")

    @property
    def fingerprint(self) -> str:
        """That of the embedder behind the cache."""
        return self.inner.fingerprint

    @property
    def max_tokens(self) -> int | None:  # type: ignore[override]
        """That of the embedder behind the cache."""
        return self.inner.max_tokens

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text, embedding only what was never seen."""
        by_key = {text_key(text): text for text in texts}
        known = self._read("passage", list(by_key))
        for embedded in self._embed([text for key, text in by_key.items() if key not in known]):
            self._hold("passage", embedded)
            known |= embedded
        return _in_order(known, [text_key(text) for text in texts])

    def embed_progressively(self, texts: Sequence[str]) -> Iterator[int]:
        """Embed what is missing block by block; yield the number of missing texts done so far."""
        done = 0
        for embedded in self._embed(self.unseen(texts)):
            done += len(embedded)
            yield done

    def _embed(self, missing: Sequence[str]) -> Iterator[dict[bytes, Vectors]]:
        """Embed and store distinct texts block by block; yield the vectors of each block."""
        # Of like length together: a batch is padded to its longest text. The longest first: the pace rises to the end.
        missing = sorted(missing, key=len, reverse=True)
        for block in _blocks(missing, self.inner.characters_a_block):
            yield self._store("passage", list(map(text_key, block)), self.inner.embed_passages(block))

    def unseen(self, texts: Sequence[str]) -> list[str]:
        """Return the distinct texts that are not in the cache."""
        by_key = {text_key(text): text for text in texts}
        known = self._file.known("passage", list(by_key))
        return [text for key, text in by_key.items() if key not in known]

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per question, embedding only what was never seen."""
        by_key = {text_key(text): text for text in texts}
        known = self._read("query", list(by_key))
        missing = {key: text for key, text in by_key.items() if key not in known}
        if missing:
            embedded = self._store("query", list(missing), self.inner.embed_queries(list(missing.values())))
            self._hold("query", embedded)
            known |= embedded
        return _in_order(known, [text_key(text) for text in texts])

    def token_offsets(self, text: str) -> Offsets:
        """Those of the embedder behind the cache."""
        return self.inner.token_offsets(text)

    def late_windows(self, text: str) -> LateWindows:
        """Those of the embedder behind the cache."""
        return self.inner.late_windows(text)

    def token_vectors(self, text: str, windows: range) -> Vectors:
        """Those of the embedder behind the cache."""
        return self.inner.token_vectors(text, windows)

    def reads(self, text: str) -> bool:
        """As the embedder behind the cache says."""
        return self.inner.reads(text)

    def _read(self, role: str, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """Return the vectors that are there; those read last are held, and when they are too many, none."""
        held = self._held
        found = {key: vector for key in keys if (vector := held.get((role, key))) is not None}
        if len(found) == len(keys):
            return found
        read = self._file.read(role, [key for key in keys if key not in found])
        self._hold(role, read)
        return found | read

    def _hold(self, role: str, vectors: Mapping[bytes, Vectors]) -> None:
        room = _HELD // max((vector.nbytes for vector in vectors.values()), default=1)
        if len(self._held) + len(vectors) > room:
            self._held = {}
        if len(vectors) <= room:
            self._held |= {(role, key): vector for key, vector in vectors.items()}

    def _store(self, role: str, keys: Sequence[bytes], vectors: Vectors) -> dict[bytes, Vectors]:
        """Store the vectors and return them by key, as reading them would."""
        vectors = np.ascontiguousarray(vectors, np.float32)
        self._file.write(role, keys, vectors)
        return dict(zip(keys, vectors, strict=True))

    @property
    def _file(self) -> VectorFile:
        return VectorFile(self._folder, self.fingerprint)


def _in_order(known: Mapping[bytes, Vectors], keys: Sequence[bytes]) -> Vectors:
    if not keys:
        return np.zeros((0, 0), np.float32)
    return np.concatenate([known[key] for key in keys]).reshape(len(keys), -1)
