"""Chunker `fixed`: a window of constant size slides over the text."""

from __future__ import annotations

from collections.abc import Iterator

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.chunkers.rulers import Ruler, Slice
from rag_pipeline.chunkers.sized import SizedChunker


@chunkers.register
class FixedChunker(SizedChunker):
    """Every `size - overlap` units a chunk of `size` units, whatever the text says there."""

    key = "fixed"
    label = "Fixed size"
    help = "Cuts strictly by size. Even chunks for a baseline; sentences are cut in two."

    def cut(self, ruler: Ruler) -> Iterator[Slice]:
        """Yield the windows."""
        return ruler.windows(0, len(ruler.text), self.options.chunk_size, self.options.overlap)
