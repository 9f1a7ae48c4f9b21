"""Real text in an index: paragraphs of a file of tests/data, embedded by MiniLM or by counting words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from rag_pipeline.embedders.base import Embedder, Vectors
from rag_pipeline.indexing.index_store import ChunkIndex
from rag_pipeline.types import SourceDoc
from tests.fake_embedder import WordsEmbedder
from tests.minilm import minilm

DATA = Path(__file__).parents[2] / "data"


class CountingEmbedder(WordsEmbedder):
    """Counts the texts that it is asked to embed."""

    key = "counting"

    def __init__(self) -> None:
        super().__init__("counts")
        self.passages = 0
        self.queries = 0

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts."""
        self.passages += len(texts)
        return super().embed_passages(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions."""
        self.queries += len(texts)
        return super().embed_queries(texts)


def index_of(texts: Sequence[str], embedder: Embedder, *, vectors: bool = True) -> ChunkIndex:
    """Return an index with a chunk for each paragraph of the texts, documents numbered from 1."""
    documents = {number: SourceDoc(number, f"{number}.txt", text) for number, text in enumerate(texts, 1)}
    rows = [
        (doc.id, *match.span()) for doc in documents.values() for match in re.finditer(r"\S(?:.|\n(?!\n))*", doc.text)
    ]
    spans = np.asarray(rows, np.int64).reshape(-1, 3)
    chunks = [documents[document].text[start:end] for document, start, end in spans.tolist()]
    rows_of = embedder.embed_passages(chunks) if vectors and chunks else np.zeros((len(chunks), 0), np.float32)
    return ChunkIndex(documents, spans, rows_of, embedder)


@cache
def time_machine() -> str:
    """Return the first chapters of The Time Machine."""
    return (DATA / "time_machine_excerpt.txt").read_bytes().decode("utf-8").replace("\r\n", "\n")


@cache
def nuts() -> ChunkIndex:
    """Return aircraft nuts and their part numbers, embedded by MiniLM."""
    text = (DATA / "faa_nuts_with_part_numbers.txt").read_text(encoding="utf-8")
    return index_of([text], minilm())
