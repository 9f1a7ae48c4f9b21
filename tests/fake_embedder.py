"""An embedder for tests: one dimension a word, so that cosines can be worked out by hand. `words:any`."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np

from rag_pipeline.embedders.base import Embedder, Offsets, Vectors, embedders

DIMENSIONS = 1024


def embed_words(texts: Sequence[str]) -> Vectors:
    """Return the counts of each text's words, hashed to dimensions, at length 1."""
    vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
    for row, text in enumerate(texts):
        for word in re.findall(r"\w+", text.lower()) or [""]:
            vectors[row, zlib.crc32(word.encode()) % DIMENSIONS] += 1
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@embedders.register
class WordsEmbedder(Embedder):
    """Counts words; knows nothing."""

    key = "words"
    label = "Words (tests)"

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts."""
        return embed_words(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions."""
        return embed_words(texts)

    def token_offsets(self, text: str) -> Offsets:
        """Words are the tokens."""
        spans = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
        return np.asarray(spans, np.int32).reshape(-1, 2)
