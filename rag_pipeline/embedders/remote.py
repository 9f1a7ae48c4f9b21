"""Embeddings that a server computes: in batches through the gate, tried again, checked, of length 1."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np

from rag_pipeline.embedders.base import Embedder, Vectors
from rag_pipeline.errors import ProviderError
from rag_pipeline.llm.failures import ExplainedErrors, ModelCallError
from rag_pipeline.llm.gate import gate_of
from rag_pipeline.llm.loop_thread import run_blocking
from rag_pipeline.llm.retry import Retry
from rag_pipeline.llm.target import Target
from rag_pipeline.runtime import ModelLimits, configured_limits

_BATCH_TEXTS = 128
_BATCH_CHARACTERS = 200_000  # OpenAI takes 300,000 tokens a request; no script has many more tokens than characters
_SHORTEST_HALF = 16


class RemoteEmbedder(Embedder):
    """Base of the embedders that ask `target`: write `_asked`.

    How long a text may be is the server's to say: where it refuses one, `mean` takes the length-weighted mean of the
    text's halves, `head` the first half, again until the pieces fit.
    """

    def __init__(self, name: str, mode: str, target: Target, limits: ModelLimits | None = None) -> None:
        super().__init__(name, mode)
        self._target = target
        self._limits = limits or configured_limits()

    @abstractmethod
    async def _asked(self, texts: Sequence[str], *, questions: bool) -> list[Vectors]:
        """Return what the server sends for some texts, none of them empty, in order. Raises what its client does."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in batches, a few at once. Raises ProviderError."""
        return run_blocking(self._embed(texts, False)) if texts else np.zeros((0, 0), np.float32)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions in the same way. Raises ProviderError."""
        return run_blocking(self._embed(texts, True)) if texts else np.zeros((0, 0), np.float32)

    async def _embed(self, texts: Sequence[str], questions: bool) -> Vectors:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._embed_batch(batch, questions)) for batch in _batches(texts)]
        except ExceptionGroup as failures:  # the first failure has ended the others
            raise failures.exceptions[0] from None
        parts = [task.result() for task in tasks]
        if len({part.shape[1] for part in parts}) > 1:
            raise self._wrong("vectors of different lengths")
        return np.concatenate(parts)

    async def _embed_batch(self, batch: Sequence[str], questions: bool) -> Vectors:
        try:
            return await self._request(batch, questions)
        except ModelCallError as error:
            if not error.too_long:
                raise
            if len(batch) > 1:  # find the text that is too long
                half = len(batch) // 2
                return np.concatenate(
                    [await self._embed_batch(part, questions) for part in (batch[:half], batch[half:])]
                )
            return await self._embed_in_halves(batch[0], questions, error)

    async def _embed_in_halves(self, text: str, questions: bool, error: ModelCallError) -> Vectors:
        if len(text) < 2 * _SHORTEST_HALF:
            raise error
        halves = _halves(text)
        if self.mode == "head":
            return await self._embed_batch(halves[:1], questions)
        vectors = np.concatenate([await self._embed_batch([half], questions) for half in halves])
        weights = np.array([[len(half)] for half in halves], np.float32)
        return _unit((vectors * weights).sum(axis=0, keepdims=True))

    async def _request(self, batch: Sequence[str], questions: bool) -> Vectors:
        texts = [text if text.strip() else " " for text in batch]  # an empty text is refused
        gate = gate_of(self._target, self._limits.concurrency)
        retry = Retry(self._limits, gate)
        while True:
            try:
                async with gate.call():
                    with ExplainedErrors(self._target, self._limits.timeout_s):
                        async with asyncio.timeout(self._limits.timeout_s):
                            vectors = await self._asked(texts, questions=questions)
                return self._checked(vectors, len(batch))
            except ModelCallError as error:
                await retry.wait(error)

    def _checked(self, vectors: list[Vectors], expected: int) -> Vectors:
        """Return the vectors with length 1. Raises ProviderError for what cannot be embeddings of the texts."""
        if len(vectors) != expected:
            raise self._wrong(f"{len(vectors)} vectors for {expected} texts")
        if len({vector.shape for vector in vectors}) > 1:
            raise self._wrong("vectors of different lengths")
        stacked = np.stack(vectors)
        if stacked.ndim != 2 or not np.isfinite(stacked).all() or not stacked.any(axis=1).all():
            raise self._wrong("vectors without a usable value")
        return _unit(stacked)

    def _wrong(self, what: str) -> ProviderError:
        return ProviderError(
            f"{self._target.place} sent {what}. Check that “{self.name}” is an embedding model that works there."
        )


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield runs of texts that one request may hold."""
    start, size = 0, 0
    for position, text in enumerate(texts):
        full = position - start == _BATCH_TEXTS or size + len(text) > _BATCH_CHARACTERS
        if full and position > start:
            yield texts[start:position]
            start, size = position, 0
        size += len(text)
    yield texts[start:]


def _halves(text: str) -> list[str]:
    """Cut near the middle, between words where there are any."""
    middle = len(text) // 2
    space = text.rfind(" ", middle // 2, middle + 1)
    cut = space if space > 0 else middle
    return [text[:cut], text[cut:]]
