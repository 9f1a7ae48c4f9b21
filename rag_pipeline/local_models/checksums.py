"""Checksums of large files, kept from process to process: 100 MB take 0.1 s, which every command would wait for."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from rag_pipeline.runtime import checksums_file
from rag_pipeline.vector_files import open_kept, text_key


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file in hexadecimals; taken anew when anything has written to it. Raises OSError."""
    state = file.stat()
    # Who writes to a file can set its time of change back, not the time at which the system noted that.
    return _kept(file, (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns))


@lru_cache(maxsize=16)
def _kept(file: Path, state: tuple[int, ...]) -> str:
    place = checksums_file()
    if place is None:
        return _taken(file)
    key = text_key(f"{file}{state}")
    with open_kept(place, "checksums (key BLOB PRIMARY KEY, sha256 TEXT)") as connection:
        found = connection.execute("SELECT sha256 FROM checksums WHERE key = ?", (key,)).fetchone()
        if found is None:
            found = (_taken(file),)
            connection.execute("INSERT OR REPLACE INTO checksums VALUES (?, ?)", (key, *found))
    return str(found[0])


def _taken(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
