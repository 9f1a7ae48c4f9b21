"""The trained reader over many questions at once: for each passage the best span of each of its sentences."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from rag_pipeline.embedders.local import shipped_weights
from rag_pipeline.errors import ConfigError
from rag_pipeline.extractive_qa.decoding import AnswerSpan, Logits, best_of
from rag_pipeline.extractive_qa.encoding import QUESTION_PIECES, PairEncoder, Window, WordPieces, sentence_numbers
from rag_pipeline.extractive_qa.question_analysis import analyse_question
from rag_pipeline.extractive_qa.span_network import SpanNetwork
from rag_pipeline.extractive_qa.trained_model import checked_weights

ReadWindows = Callable[[Sequence[Window]], list[Logits]]
_opening = threading.Lock()


class SpanReader:
    """`read` is the network; what is read is taken apart by `encoder`."""

    def __init__(self, encoder: PairEncoder, read: ReadWindows) -> None:
        self._encoder, self._read = encoder, read

    def spans(self, questions: Sequence[str], passages: Sequence[Sequence[str]]) -> list[list[list[AnswerSpan]]]:
        """Return the spans of each passage of each question, best first, at most one a sentence.

        `passages[i]` are those of `questions[i]`. A passage that several questions share is taken apart once.
        """
        asked = self._encoder.pieces([self._short(question) for question in questions])
        distinct = list(dict.fromkeys(text for row in passages for text in row))
        pieces = dict(zip(distinct, self._encoder.pieces(distinct), strict=True))
        numbers = {text: sentence_numbers(text, pieces[text].offsets) for text in distinct}
        windows = [
            [self._windows(question, pieces[text], numbers[text]) for text in row]
            for question, row in zip(asked, passages, strict=True)
        ]
        logits = iter(self._read([window for row in windows for each in row for window in each]))
        return [[best_of(each, [next(logits) for _ in each]) for each in row] for row in windows]

    def _windows(self, question: WordPieces, passage: WordPieces, numbers: Sequence[int]) -> list[Window]:
        return list(self._encoder.windows(question, passage, numbers))

    def _short(self, question: str) -> str:
        """Return a question that is too long for the network as the sentence of it that asks."""
        if len(question) <= QUESTION_PIECES:  # no piece is shorter than a character
            return question
        fits = len(self._encoder.pieces([question])[0].ids) <= QUESTION_PIECES
        return question if fits else analyse_question(question).core


def open_span_reader(weights: Path, encoder: Path | None = None) -> SpanReader:
    """Return the reader with trained `weights`, joined to the installed encoder. Raises ConfigError without one."""
    folder = encoder or shipped_weights()
    if folder is None:
        raise ConfigError("The weights of all-MiniLM-L6-v2 are not installed. Run make setup.", "llm")
    return SpanReader(pair_encoder(folder), SpanNetwork(folder, weights).logits)


def shipped_reader() -> SpanReader:
    """Return the shipped reader; opened once a process. Raises ConfigError where its files are not whole."""
    with _opening:
        return _shipped()


@cache
def _shipped() -> SpanReader:
    return open_span_reader(checked_weights())


def pair_encoder(folder: Path) -> PairEncoder:
    """Return the encoder of pairs with the tokenizer of `folder`."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return PairEncoder(tokenizer)
