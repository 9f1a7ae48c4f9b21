"""Chunker `recursive`: cuts at the coarsest separator that makes pieces small enough, then fills chunks with them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import Field, field_validator

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.chunkers.rulers import Ruler, Slice
from rag_pipeline.chunkers.separators import DEFAULT_SEPARATORS, PUBLISHED_SEPARATORS, SENTENCE_END, SeparatorCut
from rag_pipeline.chunkers.sized import SizedChunker
from rag_pipeline.chunkers.sizes import SizeOptions


class RecursiveOptions(SizeOptions):
    """Size, overlap and where to cut."""

    separators: list[str] = Field(
        list(DEFAULT_SEPARATORS),
        title="Separators",
        description=f"JSON list, coarsest first. A separator stays at the head of the piece that follows it; "
        f"“{SENTENCE_END}” cuts behind the mark of a sentence that really ends. “published” stands for the list of "
        "published comparisons, which cuts at every full stop.",
    )

    @field_validator("separators", mode="before")
    @classmethod
    def _parse(cls, value: object) -> object:
        if value == "published":
            return list(PUBLISHED_SEPARATORS)
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                value = None
        if not isinstance(value, list | tuple) or not value or not all(isinstance(item, str) for item in value):
            raise ValueError('Separators are a JSON list of texts, coarsest first, such as ["\\n\\n", "\\n", " ", ""].')
        if "" in value[:-1]:
            raise ValueError('Separators after the empty text "" would never be used. Put "" last.')
        return list(value)


@chunkers.register
class RecursiveChunker(SizedChunker):
    """Keeps paragraphs, else lines, else sentences, else words together.

    With `published` separators it makes the chunks of LangChain's RecursiveCharacterTextSplitter (separators kept at
    the start), with exact offsets. Overlap is made of whole pieces, so it is at most what was asked. Two differences:
    a chunk of nothing but a full stop joins the one before it; and what has no separator left is cut by size in
    tokens, not in single characters.
    """

    key = "recursive"
    label = "Recursive"
    help = "Keeps paragraphs and sentences together where they fit. A good start for prose."

    Options = RecursiveOptions
    options: RecursiveOptions

    def cut(self, ruler: Ruler) -> Iterator[Slice]:
        """Yield the chunks of the whole text."""
        options = self.options
        return SeparatorCut(ruler, options.chunk_size, options.overlap, options.separators).cut(0, len(ruler.text))
