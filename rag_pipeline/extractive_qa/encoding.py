"""Question and passage as the word pieces that the trained reader reads, each piece with its characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.errors import ConfigError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

QUESTION_PIECES = 48
WINDOW_PIECES = 256
_OVERLAP = 64
"""Pieces that neighbouring windows of a long passage share: more than the longest answer."""
_PAD = 0

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Window:
    """`[CLS] question [SEP] part of a passage [SEP]` as ids.

    `first` is the place of the passage's first piece; `offsets[i]` are the characters in the passage of piece
    `first + i`; `sentences[i]` the number of its sentence in the passage.
    """

    ids: list[int]
    first: int
    offsets: list[tuple[int, int]]
    sentences: list[int]

    @property
    def last(self) -> int:
        """One past the place of the passage's last piece."""
        return self.first + len(self.offsets)


@dataclass(frozen=True, slots=True)
class WordPieces:
    """A text as word pieces."""

    ids: list[int]
    offsets: list[tuple[int, int]]


class PairEncoder:
    """Turns questions and passages into windows. `tokenizer` is that of the encoder; its own truncation is not used."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._begin, self._separator = (_id_of(tokenizer, token) for token in ("[CLS]", "[SEP]"))

    def pieces(self, texts: Sequence[str]) -> list[WordPieces]:
        """Return the pieces of each text."""
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [WordPieces(each.ids, each.offsets) for each in encoded]

    def windows(self, question: WordPieces, passage: WordPieces, sentences: Sequence[int]) -> Iterator[Window]:
        """Yield the windows of a passage; `sentences[i]` is the number of the sentence of its piece i."""
        asked = question.ids[:QUESTION_PIECES]
        room = WINDOW_PIECES - len(asked) - 3
        start = 0
        while True:
            end = min(start + room, len(passage.ids))
            ids = [self._begin, *asked, self._separator, *passage.ids[start:end], self._separator]
            yield Window(ids, len(asked) + 2, passage.offsets[start:end], list(sentences[start:end]))
            if end == len(passage.ids):
                return
            start += room - _OVERLAP

    def joined(self, parts: Sequence[Sequence[int]], passage: int) -> Window:
        """Return texts, given by their ids, one behind the other in one window; the passage begins with this one."""
        ids, starts = [self._begin], []
        for part in parts:
            starts.append(len(ids))
            ids += [*part, self._separator]
        return Window(ids, starts[passage], [], [])


def _id_of(tokenizer: Tokenizer, token: str) -> int:
    found = tokenizer.token_to_id(token)
    if found is None:
        raise ConfigError(f"The tokenizer has no {token}: it is not that of a BERT encoder.")
    return int(found)


def sentence_numbers(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """Return for each piece of `text` the number of the sentence that holds it."""
    ends = [sentence.end for sentence in split_sentences(text)]
    if not ends:
        return [0] * len(offsets)
    found = np.searchsorted(ends, [start for start, _ in offsets], side="right")
    return [int(number) for number in np.minimum(found, len(ends) - 1)]


def padded(windows: Sequence[Window], multiple: int = 8) -> tuple[Array, Array, Array]:
    """Return ids, mask and kinds (0 the question, 1 the passage) of a batch, each int64 (batch, length)."""
    longest = max(len(window.ids) for window in windows)
    length = -(-longest // multiple) * multiple
    ids = np.full((len(windows), length), _PAD, np.int64)
    mask = np.zeros((len(windows), length), np.int64)
    kinds = np.zeros((len(windows), length), np.int64)
    for row, window in enumerate(windows):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
        kinds[row, window.first : len(window.ids)] = 1
    return ids, mask, kinds
