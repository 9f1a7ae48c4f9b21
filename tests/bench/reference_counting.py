"""The reference's recursive splitter with its own way of counting: for the reproduction only."""

from __future__ import annotations

from collections.abc import Sequence

from rag_pipeline.chunkers.base import TokenOffsets
from rag_pipeline.chunkers.recursive import RecursiveChunker, RecursiveOptions
from rag_pipeline.chunkers.rulers import TokenRuler, trimmed, without_contained
from rag_pipeline.chunkers.separators import PUBLISHED_SEPARATORS
from rag_pipeline.indexing.chunk_table import ChunkTable
from rag_pipeline.types import Chunk, SourceDoc, Span

_SPECIAL = 2
"""[CLS] and [SEP], which the reference's length function counts in every text that it measures."""


class _CountedByTheReference(TokenRuler):
    """Word pieces + 4: two in the piece itself, and two in the empty text with which the reference joins pieces."""

    def length(self, start: int, end: int) -> int:
        """Return what a piece takes up of a chunk."""
        return super().length(start, end) + 2 * _SPECIAL


def reference_chunks(
    documents: Sequence[SourceDoc], size: int, overlap: int, token_offsets: TokenOffsets
) -> ChunkTable:
    """Return the chunks of the reference's recursive splitter.

    A chunk of k pieces with n word pieces in all counts n + 2k + 2(k − 1) there, since the empty text between two
    pieces is measured too. That is n + 4k − 2, the sum of the ruler's lengths less two: size and overlap are given
    two larger, and the cuts are the same (but for a lone full stop, see `RecursiveChunker`).
    """
    options = RecursiveOptions(
        chunk_unit="tokens",
        chunk_size=size + _SPECIAL,
        chunk_overlap=str(overlap + _SPECIAL),
        separators=list(PUBLISHED_SEPARATORS),
    )
    chunker = RecursiveChunker(options, token_offsets)
    chunks = []
    for doc in documents:
        cuts = chunker.cut(_CountedByTheReference(doc.text, token_offsets))
        slices = without_contained(trimmed(doc.text, *cut) for cut in cuts)
        chunks += [Chunk(Span(doc.id, *each)) for each in slices]
    return ChunkTable.of(chunks)
