"""Chunkers: a document to spans, each an exact slice of its text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from rag_pipeline.registry import Registry, Unit
from rag_pipeline.types import SourceDoc, Span

TokenOffsets = Callable[[str], Sequence[tuple[int, int]]]
"""text -> (start, end) character offsets of each token, in order, special tokens not counted."""


class Chunker(Unit):
    """Splits documents.

    The spans of one document are in order of `start`, never empty and never white space only, and together cover
    every character of the text that is not white space. `token_offsets` is given when the unit is tokens.
    """

    def __init__(self, options: object = None, token_offsets: TokenOffsets | None = None) -> None:
        super().__init__(options)
        self.token_offsets = token_offsets

    @abstractmethod
    def split(self, doc: SourceDoc) -> list[Span]:
        """Return the chunks of `doc` as spans."""


chunkers: Registry[Chunker] = Registry("chunker", "rag_pipeline.chunkers")
