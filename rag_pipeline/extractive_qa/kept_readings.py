"""What the reader found in a passage for a question, kept on disk by content: the same pair is read once, ever."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from struct import Struct

from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.extractive_qa.decoding import AnswerSpan
from rag_pipeline.vector_files import open_kept, rows_by_key, text_key

REVISION = 1
"""Raised when the same question and passage give other spans than before, the weights being the same."""
_SPAN = Struct("<iiiddd")

Pair = tuple[str, str]
"""A question and a passage."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The spans of a passage, best first, at most one a sentence.

    `kept_s`: the seconds that reading it took when it was read, 0 where that was just now.
    """

    spans: list[AnswerSpan]
    kept_s: float = 0.0


class KeptReadings:
    """A SQLite file, `<folder>/<fingerprint>-<revision>.sqlite3`; `fingerprint` is that of the weights.

    Safe with several processes: they may read the same pair twice, never keep it wrongly.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self._file = folder / f"{fingerprint[:24]}-{REVISION}.sqlite3"

    def get(self, pairs: Sequence[Pair]) -> dict[Pair, Reading]:
        """Return the readings of those pairs that were read before."""
        by_key = {_key(pair): pair for pair in pairs}
        with self._open() as connection:
            rows = rows_by_key(connection, "SELECT key, seconds, spans FROM readings WHERE", list(by_key))
            return {
                by_key[key]: Reading([AnswerSpan(*row) for row in _SPAN.iter_unpack(spans)], seconds)
                for key, seconds, spans in rows
            }

    def put(self, readings: Mapping[Pair, Sequence[AnswerSpan]], seconds: float) -> None:
        """Keep what was read; `seconds`: what each of them took."""
        rows = [(_key(pair), seconds, b"".join(map(_packed, spans))) for pair, spans in readings.items()]
        with self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO readings VALUES (?, ?, ?)", rows)

    def _open(self) -> AbstractContextManager[sqlite3.Connection]:
        return open_kept(self._file, "readings (key BLOB PRIMARY KEY, seconds REAL, spans BLOB)")


def _packed(span: AnswerSpan) -> bytes:
    return _SPAN.pack(span.start, span.end, span.sentence, span.score, span.support, span.answerable)


def _key(pair: Pair) -> bytes:
    """Return the 16-byte key of a pair; where the passage's sentences end is in it, since spans are found in them."""
    question, passage = pair
    ends = ",".join(str(sentence.end) for sentence in split_sentences(passage))
    text = "\0".join((question, ends, passage))
    return text_key(text)
