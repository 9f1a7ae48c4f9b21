"""Chunkers: a document to spans, each an exact slice of its text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

from rag_pipeline.embedders.base import Embed, Offsets
from rag_pipeline.registry import Registry, Unit
from rag_pipeline.types import Chunk, SourceDoc, Span

TokenOffsets = Callable[[str], Offsets]
"""A text to the character offsets of its tokens."""


class Chunker(Unit):
    """Splits documents.

    The spans of one document are in order of `start`, never empty and never white space only, and together cover
    every character of the text that is not white space. `token_offsets` is given when the unit is tokens, `embed` when
    the chunker says that it `needs_embeddings`.
    """

    needs_embeddings: ClassVar[bool] = False

    def __init__(
        self, options: object = None, token_offsets: TokenOffsets | None = None, embed: Embed | None = None
    ) -> None:
        super().__init__(options)
        self.token_offsets = token_offsets
        self.embed = embed

    @abstractmethod
    def split(self, doc: SourceDoc) -> list[Span]:
        """Return the chunks of `doc` as spans."""

    def chunks(self, doc: SourceDoc) -> list[Chunk]:
        """Return the chunks of `doc`, with heading and parent where the chunker has them."""
        return [Chunk(span) for span in self.split(doc)]

    def texts_to_embed(self, doc: SourceDoc) -> list[str]:
        """Return the texts that `chunks` will have embedded: those of all documents are embedded in one batch first."""
        return []


chunkers: Registry[Chunker] = Registry("chunker", "rag_pipeline.chunkers")
