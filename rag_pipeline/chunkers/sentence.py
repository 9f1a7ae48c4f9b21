"""Chunker `sentence`: whole sentences, as many as fit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.chunkers.packing import packed
from rag_pipeline.chunkers.rulers import Ruler, Slice
from rag_pipeline.chunkers.sized import SizedChunker
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.kept_by_text import KeptByText


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
        sentences: list[Slice] = _sentences.of(ruler.text).tolist()
        return packed(ruler, sentences, self.options.chunk_size, self.options.overlap)


def _split(text: str) -> npt.NDArray[np.int32]:
    """Return start and end of each sentence, shape (n, 2)."""
    return np.asarray([(each.start, each.end) for each in split_sentences(text)], np.int32).reshape(-1, 2)


_sentences = KeptByText(_split, most=1_000_000)
"""Every chunk size begins with the same sentences: some 100 MB of documents in 8 MB."""
