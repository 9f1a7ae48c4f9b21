"""Chunker `sentence`: whole sentences, as many as fit."""

from __future__ import annotations

from collections.abc import Iterator

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.chunkers.packing import packed
from rag_pipeline.chunkers.rulers import Ruler, Slice
from rag_pipeline.chunkers.sized import SizedChunker
from rag_pipeline.english.sentences import split_sentences


@chunkers.register
class SentenceChunker(SizedChunker):
    """Packs sentences up to the size. Headings, list items and table rows count as sentences.

    Overlap is made of whole sentences, so it is at most what was asked. A sentence longer than the size is cut
    between words.
    """

    key = "sentence"
    label = "Sentence"
    help = "Packs whole sentences. When answers are single sentences and chunks are small."

    def cut(self, ruler: Ruler) -> Iterator[Slice]:
        """Yield the chunks."""
        sentences = ((each.start, each.end) for each in split_sentences(ruler.text))
        return packed(ruler, sentences, self.options.chunk_size, self.options.overlap)
