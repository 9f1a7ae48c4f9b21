"""What is nearest to a question by meaning: the passages that might answer it, and a question that asks the same."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property

import numpy as np

from evaluation.metrics.overlap import f_measure, share, tokens_of
from evaluation.question_writers.rules.passages import DocumentPassage, cut
from evaluation.types import DraftEvidence
from rag_pipeline.embedders.base import Embed, Vectors
from rag_pipeline.errors import ProviderError
from rag_pipeline.indexing.word_index import WordIndex
from rag_pipeline.types import SourceDoc, Span

_LONGEST = 800
_ALIKE = 0.8
"""Cosine from which two questions with the same answer ask the same. The cosine alone does not tell: of *during* and
*after probation* it is .99, of *converted into apartments* and *turned into flats* .84."""
_SAME_ANSWER = 2 / 3
"""Token F1 from which two answers are the same."""


class NearestPassages:
    """Searches passages by embedding. They are embedded once: beforehand, or at the first question."""

    def __init__(self, documents: Sequence[SourceDoc], embed: Embed) -> None:
        self._embed = embed
        self._passages = [passage for document in documents for passage in cut(document, _LONGEST)]
        self._vectors: Vectors | None = None
        self._one_at_a_time = asyncio.Lock()

    async def prepare(self) -> None:
        """Embed the passages while nobody asks yet; where that fails, whoever asks is told."""
        with suppress(ProviderError):
            async with self._one_at_a_time:
                await self._embedded()

    async def find(self, question: str, count: int = 5) -> list[DocumentPassage]:
        """Return the best passages, best first."""
        async with self._one_at_a_time:  # embedding models are not made for several threads at once
            vectors = await self._embedded()
            query = await asyncio.to_thread(self._embed, [question])
        scores = (vectors @ query[0]).astype(np.float64)
        best = np.argsort(-scores, kind="stable")[:count]
        return [self._passages[int(row)] for row in best]

    async def _embedded(self) -> Vectors:
        if self._vectors is None:
            self._vectors = await asyncio.to_thread(self._embed, [passage.text for passage in self._passages])
        return self._vectors


class PassagesElsewhere:
    """Searches passages by words, for those that may answer a question otherwise than its evidence does."""

    def __init__(self, documents: Sequence[SourceDoc]) -> None:
        self._documents = documents
        self._one_at_a_time = asyncio.Lock()

    @cached_property
    def _passages(self) -> list[DocumentPassage]:
        return [passage for document in self._documents for passage in cut(document, _LONGEST)]

    @cached_property
    def _index(self) -> WordIndex:
        return WordIndex([passage.text for passage in self._passages])

    async def find(self, question: str, evidence: Sequence[DraftEvidence], count: int = 3) -> list[DocumentPassage]:
        """Return the best passages that hold nothing of the evidence, also not in a repeat of it; best first."""
        async with self._one_at_a_time:  # the index of a large corpus takes seconds, in which others go on
            index = await asyncio.to_thread(lambda: self._index)
        rows, _ = index.search([question], count + 4 * len(evidence))[0]
        best = (self._passages[row] for row in rows.tolist())
        others = [each for each in best if not any(_holds(each, one) for one in evidence)]
        return others[:count]


def _holds(passage: DocumentPassage, evidence: DraftEvidence) -> bool:
    whole = Span(passage.document.id, passage.start, passage.end)
    return whole.meets(evidence.span) or evidence.text in passage.text


class AskedAlike:
    """Tells a question that asks in other words for what another one of the set asks for."""

    def __init__(self, embed: Embed, asked: Sequence[tuple[str, Sequence[str]]]) -> None:
        """`asked`: questions with their reference answers."""
        self._embed = embed
        self._asked: list[tuple[str, Sequence[str]]] = []
        self._vectors: list[Vectors] = []
        self._before = list(asked)
        self._one_at_a_time = asyncio.Lock()

    async def problem(self, question: str, references: Sequence[str]) -> str:
        """Return what is wrong with a question that one before asks too; any other is among those asked from now on."""
        async with self._one_at_a_time:
            fresh = [*self._before, (question, references)]
            vectors = await asyncio.to_thread(self._embed, [text for text, _ in fresh])
            self._take(self._before, vectors)
            self._before = []
            for (text, answers), vector in zip(self._asked, self._vectors, strict=True):
                if vector @ vectors[-1] >= _ALIKE and same_answer(answers, references):
                    return f"It asks the same as “{text}”"
            self._take(fresh[-1:], vectors[-1:])
            return ""

    def _take(self, asked: Sequence[tuple[str, Sequence[str]]], vectors: Vectors) -> None:
        self._asked += asked
        self._vectors += list(vectors[: len(asked)])


def same_answer(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether any two of the reference answers share most of their words."""
    pairs = [(tokens_of([first]), tokens_of([second])) for first in one for second in other]
    return any(f_measure(share(first, second), share(second, first)) >= _SAME_ANSWER for first, second in pairs)
