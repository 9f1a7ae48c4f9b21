"""Answers of the built-in reader, kept on disk by all that they depend on: the same request is answered once, ever."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rag_pipeline.types import GenerationRequest
from rag_pipeline.vector_files import open_kept, rows_by_key, text_key

_PACKAGE = Path(__file__).parent.parent
_READER = ("extractive_qa", "english", "rewriting")
"""The folders whose code, word lists and cards an answer depends on; a card names its weights by their checksum."""


@dataclass(frozen=True, slots=True)
class ReaderAnswer:
    """The reader's answer to one request, and why (JSON-ready).

    `kept_s`: seconds that reading took at an earlier time, for what was not read again.
    """

    text: str
    details: dict[str, Any]
    kept_s: float = 0.0


class KeptAnswers:
    """A SQLite file, `<folder>/answers-<hash of code and fingerprint>.sqlite3`.

    `fingerprint` names what else answers depend on: the embedder that compares sentences, and the strictness.
    Safe with several processes: they may answer the same request twice, never keep it wrongly.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self._file = folder / f"answers-{text_key(reader_code() + fingerprint).hex()}.sqlite3"

    def get(self, requests: Sequence[GenerationRequest]) -> list[ReaderAnswer | None]:
        """Return the answer to each request that was answered before, None for the others."""
        if not self._file.exists():  # a file is made by what is written first: making it takes a while
            return [None] * len(requests)
        keys = [_key(request) for request in requests]
        query = "SELECT key, text, details, seconds FROM answers WHERE"
        with self._open() as connection:
            found = {
                key: ReaderAnswer(text, json.loads(details), seconds)
                for key, text, details, seconds in rows_by_key(connection, query, keys)
            }
        return [found.get(key) for key in keys]

    def put(self, requests: Sequence[GenerationRequest], answers: Sequence[ReaderAnswer], seconds: float) -> None:
        """Keep answers; `seconds`: what each of them took now, beside its `kept_s`."""
        rows = [
            (_key(request), answer.text, json.dumps(answer.details), answer.kept_s + seconds)
            for request, answer in zip(requests, answers, strict=True)
        ]
        with self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", rows)

    def _open(self) -> AbstractContextManager[sqlite3.Connection]:
        return open_kept(self._file, "answers (key BLOB PRIMARY KEY, text TEXT, details TEXT, seconds REAL)")


@cache
def reader_code() -> str:
    """Return a hash of the reader's code, word lists and cards: with another one, nothing kept is used."""
    digest = hashlib.blake2b(digest_size=16)
    for folder in _READER:
        for file in sorted((_PACKAGE / folder).rglob("*")):
            if file.suffix in {".py", ".txt", ".json"}:
                digest.update(str(file.relative_to(_PACKAGE)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _key(request: GenerationRequest) -> bytes:
    """Return the 16-byte key of a request; the prompt is its template, filled with the rest of it."""
    contexts = [asdict(context) for context in request.contexts]
    return text_key(json.dumps([request.question, request.template, request.refusal, contexts]))
