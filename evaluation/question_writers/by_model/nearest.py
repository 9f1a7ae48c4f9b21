"""The passages of a corpus that are nearest to a question, to check whether one of them answers it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from evaluation.question_writers.rules.passages import DocumentPassage, cut
from rag_pipeline.embedders.base import Embed, Vectors
from rag_pipeline.types import SourceDoc

_LONGEST = 800


class NearestPassages:
    """Searches passages by embedding. They are embedded once, at the first question."""

    def __init__(self, documents: Sequence[SourceDoc], embed: Embed) -> None:
        self._embed = embed
        self._passages = [passage for document in documents for passage in cut(document, _LONGEST)]
        self._vectors: Vectors | None = None
        self._one_at_a_time = asyncio.Lock()

    async def find(self, question: str, count: int = 5) -> list[DocumentPassage]:
        """Return the best passages, best first."""
        async with self._one_at_a_time:  # embedding models are not made for several threads at once
            if self._vectors is None:
                self._vectors = await asyncio.to_thread(self._embed, [passage.text for passage in self._passages])
            query = await asyncio.to_thread(self._embed, [question])
        scores = (self._vectors @ query[0]).astype(np.float64)
        best = np.argsort(-scores, kind="stable")[:count]
        return [self._passages[int(row)] for row in best]
