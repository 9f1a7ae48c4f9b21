"""Chunker `recursive`: cuts at the coarsest separator that makes pieces small enough, then fills chunks with them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pydantic import Field, field_validator

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.chunkers.rulers import Ruler, Slice, trimmed
from rag_pipeline.chunkers.sized import SizedChunker
from rag_pipeline.chunkers.sizes import SizeOptions

DEFAULT_SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")


class RecursiveOptions(SizeOptions):
    """Size, overlap and where to cut."""

    separators: list[str] = Field(
        list(DEFAULT_SEPARATORS),
        title="Separators",
        description="JSON list, coarsest first. A separator stays at the head of the piece that follows it.",
    )

    @field_validator("separators", mode="before")
    @classmethod
    def _parse(cls, value: object) -> object:
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except json.JSONDecodeError:
                value = None
        if not isinstance(value, list | tuple) or not value or not all(isinstance(item, str) for item in value):
            raise ValueError('Separators are a JSON list of texts, coarsest first, such as ["\\n\\n", "\\n", " ", ""].')
        if "" in value[:-1]:
            raise ValueError('Separators after the empty text "" would never be used. Put "" last.')
        return list(value)


@chunkers.register
class RecursiveChunker(SizedChunker):
    """Keeps paragraphs, else lines, else sentences, else words together.

    Makes the chunks of LangChain's RecursiveCharacterTextSplitter (separators kept at the start), with exact offsets.
    Overlap is made of whole pieces, so it is at most what was asked. Two differences: a chunk of nothing but a full
    stop joins the one before it; and what has no separator left is cut by size in tokens, not in single characters.
    """

    key = "recursive"
    label = "Recursive"
    help = "Keeps paragraphs and sentences together where they fit. A good start for prose."

    Options = RecursiveOptions
    options: RecursiveOptions

    def cut(self, ruler: Ruler) -> Iterator[Slice]:
        """Yield the chunks of the whole text; a lone full stop joins the chunk before it where that has room."""
        before: Slice | None = None
        for piece in self._cut_slice(ruler, 0, len(ruler.text), self.options.separators):
            start, end = trimmed(ruler.text, *piece)
            if start == end:
                continue
            if before is not None and self._joins(ruler, before, (start, end)):
                before = before[0], max(before[1], end)
                continue
            if before is not None:
                yield before
            before = start, end
        if before is not None:
            yield before

    def _joins(self, ruler: Ruler, before: Slice, piece: Slice) -> bool:
        """True for a piece without letter or digit that still fits into the chunk before it."""
        return not any(character.isalnum() for character in ruler.text[slice(*piece)]) and (
            ruler.length(before[0], piece[1]) <= self.options.chunk_size
        )

    def _cut_slice(self, ruler: Ruler, start: int, end: int, separators: Sequence[str]) -> Iterator[Slice]:
        separator, finer = _first_found(ruler.text, start, end, separators)
        if not separator:
            yield from ruler.windows(start, end, self.options.chunk_size, self.options.overlap)
            return
        run: list[tuple[Slice, int]] = []  # neighbours that are small enough, with their lengths
        for piece in _pieces(ruler.text, start, end, separator):
            length = ruler.length(*piece)
            if length < self.options.chunk_size:
                run.append((piece, length))
                continue
            yield from self._fill(run)
            run = []
            yield from self._cut_slice(ruler, *piece, finer)
        yield from self._fill(run)

    def _fill(self, pieces: Sequence[tuple[Slice, int]]) -> Iterator[Slice]:
        """Join neighbouring pieces to chunks of at most the size; a chunk begins with the last ones of the previous."""
        first, total = 0, 0
        for (start, _), length in pieces:
            if total + length > self.options.chunk_size:
                yield pieces[first][0][0], start
                while total > self.options.overlap or total + length > self.options.chunk_size:
                    total -= pieces[first][1]
                    first += 1
            total += length
        if pieces:
            yield pieces[first][0][0], pieces[-1][0][1]


def _first_found(text: str, start: int, end: int, separators: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the first separator that occurs in the slice and those after it; an empty one when none does."""
    for position, separator in enumerate(separators):
        if separator and text.find(separator, start, end) >= 0:
            return separator, separators[position + 1 :]
    return "", ()


def _pieces(text: str, start: int, end: int, separator: str) -> Iterator[Slice]:
    """Cut before each separator."""
    found = text.find(separator, start, end)
    while found >= 0:
        if found > start:
            yield start, found
        start, found = found, text.find(separator, found + len(separator), end)
    if end > start:
        yield start, end
