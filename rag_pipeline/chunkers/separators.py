"""Cutting at separators: the coarsest that makes pieces small enough, then the pieces joined again up to a size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_pipeline.chunkers.rulers import Ruler, Slice, trimmed
from rag_pipeline.english.sentences import split_sentences

SENTENCE_END = "<sentence end>"
"""Stands for the end of a sentence in a list of separators: no abbreviation, number or initial ends one."""
DEFAULT_SEPARATORS = ("\n\n", "\n", SENTENCE_END, " ", "")
PUBLISHED_SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")
"""Those of published comparisons of chunkers: every full stop is one, also in `e.g.` and `0.10`."""


@dataclass(frozen=True, slots=True)
class SeparatorCut:
    """Cuts slices of a ruler's text to at most `size`; `overlap` is made of whole pieces."""

    ruler: Ruler
    size: int
    overlap: int
    separators: Sequence[str]

    def cut(self, start: int, end: int) -> Iterator[Slice]:
        """Yield the chunks of `text[start:end]`; a lone full stop joins the chunk before it where that has room."""
        before: Slice | None = None
        for cut in self._cut(start, end, self.separators):
            piece = trimmed(self.ruler.text, *cut)
            if piece[0] == piece[1]:
                continue
            if before is not None and self._joins(before, piece):
                before = before[0], max(before[1], piece[1])
                continue
            if before is not None:
                yield before
            before = piece
        if before is not None:
            yield before

    def _joins(self, before: Slice, piece: Slice) -> bool:
        """True for a piece without letter or digit that still fits into the chunk before it."""
        return not any(character.isalnum() for character in self.ruler.text[slice(*piece)]) and (
            self.ruler.length(before[0], piece[1]) <= self.size
        )

    def _cut(self, start: int, end: int, separators: Sequence[str]) -> Iterator[Slice]:
        pieces, finer = _first_pieces(self.ruler.text, start, end, separators)
        if not pieces:
            yield from self.ruler.windows(start, end, self.size, self.overlap)
            return
        run: list[tuple[Slice, int]] = []  # neighbours that are small enough, with their lengths
        for piece in pieces:
            length = self.ruler.length(*piece)
            if length < self.size:
                run.append((piece, length))
                continue
            yield from self._fill(run)
            run = []
            yield from self._cut(*piece, finer)
        yield from self._fill(run)

    def _fill(self, pieces: Sequence[tuple[Slice, int]]) -> Iterator[Slice]:
        """Join neighbouring pieces to chunks of at most the size; a chunk begins with the last ones of the previous."""
        first, total = 0, 0
        for (start, _), length in pieces:
            if total + length > self.size:
                yield pieces[first][0][0], start
                while total > self.overlap or total + length > self.size:
                    total -= pieces[first][1]
                    first += 1
            total += length
        if pieces:
            yield pieces[first][0][0], pieces[-1][0][1]


def _first_pieces(text: str, start: int, end: int, separators: Sequence[str]) -> tuple[Sequence[Slice], Sequence[str]]:
    """Return the pieces by the first separator that occurs in the slice, and those after it; nothing when none does."""
    for position, separator in enumerate(separators):
        if separator == SENTENCE_END:
            pieces = _sentences(text, start, end)
        elif separator and text.find(separator, start, end) >= 0:
            pieces = list(_pieces(text, start, end, separator))
        else:
            continue
        if separator != SENTENCE_END or len(pieces) > 1:
            return pieces, separators[position + 1 :]
    return (), ()


def _sentences(text: str, start: int, end: int) -> list[Slice]:
    """Cut before each sentence but the first: its mark, and the blank behind it, stay with the one before."""
    begins = [start + sentence.start for sentence in split_sentences(text[start:end])[1:]]
    return list(pairwise([start, *begins, end]))


def _pieces(text: str, start: int, end: int, separator: str) -> Iterator[Slice]:
    """Cut before each separator."""
    found = text.find(separator, start, end)
    while found >= 0:
        if found > start:
            yield start, found
        start, found = found, text.find(separator, found + len(separator), end)
    if end > start:
        yield start, end
