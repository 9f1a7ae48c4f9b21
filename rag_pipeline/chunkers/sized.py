"""Bases of the chunkers that measure: one ruler a document, exact offsets out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from rag_pipeline.chunkers.base import Chunker
from rag_pipeline.chunkers.rulers import CharacterRuler, Ruler, Slice, TokenRuler, trimmed, without_contained
from rag_pipeline.chunkers.sizes import ChunkSize, SizeOptions
from rag_pipeline.types import SourceDoc, Span


class MeasuredChunker(Chunker):
    """Measures in the chunk unit."""

    Options: ClassVar[type[ChunkSize]] = ChunkSize
    options: ChunkSize

    def ruler(self, text: str) -> Ruler:
        """Return the ruler of a text: characters, or tokens of the embedding model."""
        if self.options.chunk_unit == "characters":
            return CharacterRuler(text)
        if self.token_offsets is None:
            raise ValueError("chunk_unit=tokens needs token_offsets")
        return TokenRuler(text, self.token_offsets)


class SizedChunker(MeasuredChunker):
    """Cuts with a ruler in the chunk unit; white space at the ends of a chunk is left out of it."""

    Options: ClassVar[type[SizeOptions]] = SizeOptions
    options: SizeOptions

    def split(self, doc: SourceDoc) -> list[Span]:
        """Return the chunks of `doc` as spans."""
        cuts = (trimmed(doc.text, start, end) for start, end in self.cut(self.ruler(doc.text)))
        return [Span(doc.id, start, end) for start, end in without_contained(cuts)]

    @abstractmethod
    def cut(self, ruler: Ruler) -> Iterator[Slice]:
        """Yield the chunks of the ruler's text in order; empty and nested ones are sorted out afterwards."""
