"""The trained reader over many questions at once: for each passage the best span of each of its sentences."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

from rag_pipeline.embedders.local import shipped_weights
from rag_pipeline.embedders.token_tables import tokenizer_of
from rag_pipeline.errors import ConfigError
from rag_pipeline.extractive_qa.decoding import AnswerSpan, Logits, best_of
from rag_pipeline.extractive_qa.encoding import QUESTION_PIECES, PairEncoder, Window, WordPieces, sentence_numbers
from rag_pipeline.extractive_qa.kept_readings import KeptReadings, Pair, Reading
from rag_pipeline.extractive_qa.pair_network import LateNetwork
from rag_pipeline.extractive_qa.question_analysis import analyse_question
from rag_pipeline.extractive_qa.trained_model import card, checked_weights
from rag_pipeline.runtime import readings_folder


class Network(Protocol):
    """Windows to logits. `opening_s`: seconds that loading it took, 0 before."""

    opening_s: float

    def logits(self, windows: Sequence[Window]) -> list[Logits]:
        """Return the logits (length, 4) of each window, in order."""


_opening = threading.Lock()


class SpanReader:
    """What is read is taken apart by `encoder`; `kept` holds what was read before."""

    def __init__(self, encoder: PairEncoder, network: Network, kept: KeptReadings | None = None) -> None:
        self._encoder, self._network, self._kept = encoder, network, kept

    @property
    def opening_s(self) -> float:
        """Seconds that opening the network took, once a process: no part of any answer's time. 0 before."""
        return self._network.opening_s

    def read(self, questions: Sequence[str], passages: Sequence[Sequence[str]]) -> list[list[Reading]]:
        """Return what is found in each passage of each question; `passages[i]` are those of `questions[i]`.

        A passage that was read for the same question before, in any process, is not read again.
        """
        asked = [self._short(question) for question in questions]
        pairs = [[(question, text) for text in row] for question, row in zip(asked, passages, strict=True)]
        if self._kept is None:
            return [list(map(Reading, row)) for row in self._spans(asked, passages)]
        known = self._kept.get([pair for row in pairs for pair in row])
        unread = [list(dict.fromkeys(pair for pair in row if pair not in known)) for row in pairs]
        known |= self._read_now([row for row in unread if row], self._kept)
        return [[known[pair] for pair in row] for row in pairs]

    def _read_now(self, unread: Sequence[Sequence[Pair]], kept: KeptReadings) -> dict[Pair, Reading]:
        """Read pairs, those of a question in one row, and keep what was found."""
        if not unread:
            return {}
        start, opened = time.perf_counter(), self.opening_s
        spans = self._spans([row[0][0] for row in unread], [[text for _, text in row] for row in unread])
        found = {
            pair: own for row, each in zip(unread, spans, strict=True) for pair, own in zip(row, each, strict=True)
        }
        taken = time.perf_counter() - start - (self.opening_s - opened)
        kept.put(found, taken / len(found))
        return {pair: Reading(own) for pair, own in found.items()}

    def _spans(self, questions: Sequence[str], passages: Sequence[Sequence[str]]) -> list[list[list[AnswerSpan]]]:
        """Read all passages. A passage that several questions share is taken apart once."""
        asked = self._encoder.pieces(questions)
        distinct = list(dict.fromkeys(text for row in passages for text in row))
        pieces = dict(zip(distinct, self._encoder.pieces(distinct), strict=True))
        numbers = {text: sentence_numbers(text, pieces[text].offsets) for text in distinct}
        windows = [
            [self._windows(question, pieces[text], numbers[text]) for text in row]
            for question, row in zip(asked, passages, strict=True)
        ]
        logits = iter(self._network.logits([window for row in windows for each in row for window in each]))
        return [[best_of(each, [next(logits) for _ in each]) for each in row] for row in windows]

    def _windows(self, question: WordPieces, passage: WordPieces, numbers: Sequence[int]) -> list[Window]:
        return list(self._encoder.windows(question, passage, numbers))

    def _short(self, question: str) -> str:
        """Return a question that is too long for the network as the sentence of it that asks."""
        if len(question) <= QUESTION_PIECES:  # no piece is shorter than a character
            return question
        fits = len(self._encoder.pieces([question])[0].ids) <= QUESTION_PIECES
        return question if fits else analyse_question(question).core


def open_span_reader(weights: Path, encoder: Path | None = None, kept: KeptReadings | None = None) -> SpanReader:
    """Return the reader with trained `weights`, joined to the installed encoder. Raises ConfigError without one."""
    folder = encoder or shipped_weights()
    if folder is None:
        raise ConfigError("The weights of all-MiniLM-L6-v2 are not installed. Run make setup.", "llm")
    return SpanReader(pair_encoder(folder), LateNetwork(folder, weights), kept)


def shipped_reader() -> SpanReader:
    """Return the shipped reader; opened once a process. Raises ConfigError where its files are not whole."""
    with _opening:
        return _shipped()


@cache
def _shipped() -> SpanReader:
    folder = readings_folder()
    return open_span_reader(checked_weights(), kept=KeptReadings(folder, card()["sha256"]) if folder else None)


def pair_encoder(folder: Path) -> PairEncoder:
    """Return the encoder of pairs with the tokenizer of `folder`."""
    return PairEncoder(tokenizer_of(folder / "tokenizer.json"))
