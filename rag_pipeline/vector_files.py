"""Vectors kept on disk by the hash of what they were computed from: never computed twice, by any process."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
_LOOKUP = 500  # keys per query, below SQLite's limit of variables


def text_key(text: str) -> bytes:
    """Return the 16-byte key of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@contextmanager
def open_kept(path: Path, table: str) -> Iterator[sqlite3.Connection]:
    """Open a SQLite file that several processes keep results in, in one transaction; `table`: name and columns.

    Folder, file and table are made where they are not there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=20)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"CREATE TABLE IF NOT EXISTS {table} WITHOUT ROWID")
        with connection:
            yield connection
    finally:
        connection.close()


def rows_by_key(
    connection: sqlite3.Connection, query: str, keys: Sequence[bytes], *values: object
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of `query`, to whose end the condition that `key` is one of `keys` is added; `values` fill it."""
    for start in range(0, len(keys), _LOOKUP):
        part = keys[start : start + _LOOKUP]
        yield from connection.execute(f"{query} key IN ({','.join('?' * len(part))})", (*values, *part))


class VectorFile:
    """A SQLite file, `<folder>/<hash of the fingerprint>.sqlite3`, of float32 vectors by role and key; no pickle.

    Safe with several processes: they may compute the same vector twice, never store it wrongly.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self._path = folder / f"{hashlib.sha256(fingerprint.encode()).hexdigest()[:24]}.sqlite3"

    def read(self, role: str, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        """Return the vectors that are there."""
        return {key: np.frombuffer(blob, np.float32) for key, blob in self._rows("key, vector", role, keys)}

    def known(self, role: str, keys: Sequence[bytes]) -> set[bytes]:
        """Return which keys are there; their vectors stay where they are."""
        return {key for (key,) in self._rows("key", role, keys)}

    def write(self, role: str, keys: Sequence[bytes], vectors: Sequence[Any] | npt.NDArray[Any]) -> None:
        """Store a vector for each key."""
        rows = [
            (role, key, np.ascontiguousarray(vector, np.float32).tobytes())
            for key, vector in zip(keys, vectors, strict=True)
        ]
        with self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def _rows(self, columns: str, role: str, keys: Sequence[bytes]) -> Iterator[tuple[Any, ...]]:
        if not keys or not self._path.exists():  # a file is made by what is written first: making it takes a while
            return
        with self._open() as connection:
            yield from rows_by_key(connection, f"SELECT {columns} FROM vectors WHERE role = ? AND", keys, role)

    def _open(self) -> AbstractContextManager[sqlite3.Connection]:
        return open_kept(self._path, "vectors (role TEXT, key BLOB, vector BLOB, PRIMARY KEY (role, key))")
