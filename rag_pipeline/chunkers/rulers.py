"""Rulers: measure slices of one text in characters or tokens, and cut it into windows of a size."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator

import numpy as np

from rag_pipeline.chunkers.base import TokenOffsets

Slice = tuple[int, int]
"""(start, end) in characters of the text, end exclusive."""

_FARTHEST = 8
"""How many units a cut moves to spare a character; then it is made where it is."""


class Ruler(ABC):
    """Measures one text. Lengths of adjoining slices never add up to less than the length of the whole."""

    def __init__(self, text: str) -> None:
        self.text = text

    @abstractmethod
    def length(self, start: int, end: int) -> int:
        """Return the length of `text[start:end]` in the ruler's unit."""

    @abstractmethod
    def windows(self, start: int, end: int, size: int, overlap: int) -> Iterator[Slice]:
        """Cut `text[start:end]` into slices of `size` units, each beginning `size - overlap` after the last.

        White space at the ends is kept. A slice is shorter where it would else end inside a character.
        """


class CharacterRuler(Ruler):
    """Counts characters (code points)."""

    def length(self, start: int, end: int) -> int:
        """Return the number of characters."""
        return end - start

    def windows(self, start: int, end: int, size: int, overlap: int) -> Iterator[Slice]:
        """Cut every `size - overlap` characters, not before a combining mark."""
        return _windows(start, end, size, overlap, lambda cut: _inside_character(self.text, cut))


class TokenRuler(Ruler):
    """Counts tokens on one tokenisation of the whole text.

    A token that reaches over a cut counts on both sides. Tokenised by itself a slice has the same number of tokens
    wherever the tokenizer treats the two sides of its ends apart: at white space and punctuation for word pieces
    (exact), nearly so for byte-level tokenizers. A window that begins or ends inside a word is counted again by itself
    and shortened where that gives more tokens (one in a hundred windows of 250 word pieces, by one).
    """

    def __init__(self, text: str, token_offsets: TokenOffsets) -> None:
        super().__init__(text)
        self._token_offsets = token_offsets
        offsets = np.asarray(token_offsets(text), np.int32).reshape(-1, 2)
        # Lists, while they are used: numbers are taken one by one.
        self._starts: list[int] = offsets[:, 0].tolist()
        self._ends: list[int] = offsets[:, 1].tolist()

    def length(self, start: int, end: int) -> int:
        """Return the number of tokens that lie in the slice, whole or in part."""
        return max(0, bisect_left(self._starts, end) - bisect_right(self._ends, start))

    def windows(self, start: int, end: int, size: int, overlap: int) -> Iterator[Slice]:
        """Cut every `size - overlap` tokens, inside words too."""
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        if first >= last:  # nothing here that the tokenizer knows
            yield start, end
            return

        def offset(token: int) -> int:
            return start if token == first else end if token == last else max(start, self._starts[token])

        def excess(left: int, right: int) -> int:
            if not _inside_word(self.text, offset(left)) and not _inside_word(self.text, offset(right)):
                return 0
            return len(self._token_offsets(self.text[offset(left) : offset(right)])) - size

        for left, right in _windows(first, last, size, overlap, self._joined, excess):
            if offset(left) < offset(right):
                yield offset(left), offset(right)

    def _joined(self, token: int) -> bool:
        """True when a cut before `token` would part a character, as byte-level tokens do."""
        if not 0 < token < len(self._starts):
            return False
        return self._starts[token] < self._ends[token - 1] or _inside_character(self.text, self._starts[token])


def trimmed(text: str, start: int, end: int) -> Slice:
    """Return the slice without white space at its ends; empty (start == end) when there is nothing else."""
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    return start, start + len(part.strip())


def without_contained(slices: Iterator[Slice]) -> Iterator[Slice]:
    """Leave out empty slices and those that lie wholly in the one before or after."""
    kept: Slice | None = None
    for start, end in slices:
        if start == end or (kept is not None and end <= kept[1]):
            continue
        if kept is not None and start > kept[0]:
            yield kept
        kept = (start, end)
    if kept is not None:
        yield kept


def _windows(
    first: int,
    last: int,
    size: int,
    overlap: int,
    joined: Callable[[int], bool],
    excess: Callable[[int, int], int] = lambda left, right: 0,
) -> Iterator[tuple[int, int]]:
    """Yield windows over the units `first` to `last`; `excess` says by how many units one is too long after all."""
    start = first
    while start < last:
        end = min(start + size, last)
        if end < last:
            end = _spare(end, -1, start, joined)
        while (surplus := excess(start, end)) > 0 and end - start > 1:
            end = max(start + 1, end - surplus)
        yield start, end
        if end == last:
            return
        start = _spare(max(end - overlap, start + 1), 1, end, joined)


def _spare(cut: int, step: int, stop: int, joined: Callable[[int], bool]) -> int:
    """Move a cut towards `stop` until it parts nothing; leave it where it is when that is too far."""
    for moved in range(cut, stop, step)[:_FARTHEST]:
        if not joined(moved):
            return moved
    return stop if step > 0 and abs(stop - cut) < _FARTHEST else cut


def _inside_character(text: str, cut: int) -> bool:
    """True when `cut` lies within what a reader sees as one character."""
    if not 0 < cut < len(text):
        return False
    before, after = text[cut - 1], text[cut]
    if after < "\u0300":
        return before == "\r" and after == "\n"
    return before == "\u200d" or after == "\u200d" or unicodedata.category(after) in {"Mn", "Me", "Mc"}


def _inside_word(text: str, cut: int) -> bool:
    if not 0 < cut < len(text):
        return False
    before, after = text[cut - 1], text[cut]
    if "\u3400" <= after <= "\u9fff" or "\u3400" <= before <= "\u9fff":  # ideographs: each is a word to tokenizers
        return False
    return (before.isalnum() and after.isalnum()) or _inside_character(text, cut)
