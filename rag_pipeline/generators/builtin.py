"""The built-in extractive reader as a generator: no key, no network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import TYPE_CHECKING

from rag_pipeline.embedders.base import Embed, embedders
from rag_pipeline.errors import ConfigError, PipelineError, UsageError
from rag_pipeline.generators.base import Generator, Result, Stopwatch, generators
from rag_pipeline.types import Generation, GenerationRequest, Usage

if TYPE_CHECKING:
    from rag_pipeline.extractive_qa.extractive_reader import ReaderAnswer

_FREE = Usage(cost_usd=0.0)
_NO_CONTEXT = (
    "The built-in reader extracts answers from the documents and cannot run without context. "
    "Choose another model, or switch Use context on."
)


@generators.register
class BuiltinReader(Generator):
    """Finds the phrase that answers the question; it extracts and does not reason.

    `embed` compares sentences with the question; None = the shipped all-MiniLM-L6-v2, loaded on first use.
    `strictness`: the probability of an answer below which it declines; None = the shipped one.
    """

    key = "builtin"
    completes = False
    label = "Built-in reader: extractive"
    help = "No key, no network. It finds the answering phrase and does not reason."

    def __init__(
        self,
        provider: str,
        name: str,
        temperature: float = 0.0,
        max_tokens: int = 512,
        embed: Embed | None = None,
        strictness: float | None = None,
    ) -> None:
        super().__init__(provider, name, temperature, max_tokens)
        if name != "extractive":
            raise UsageError(f"There is no built-in model called “{name}”. Choose builtin:extractive.", "llm")
        self.embed = embed
        self.strictness = strictness

    async def stream(self, request: GenerationRequest) -> AsyncIterator[str | Generation]:
        """Yield the answer in one piece, then the result."""
        (reading,), seconds = await self._timed([request])
        yield reading.text
        yield _generation(reading, seconds, seconds + reading.kept_s)

    async def generate_many(self, requests: Sequence[GenerationRequest]) -> AsyncGenerator[tuple[int, Result]]:
        """Answer the whole block at once, so that its passages are read in batches."""
        if not requests:
            return
        try:
            readings, seconds = await self._timed(requests)
        except PipelineError as error:
            for position in range(len(requests)):
                yield position, error
            return
        for position, reading in enumerate(readings):
            yield position, _generation(reading, seconds, None)

    async def _timed(self, requests: Sequence[GenerationRequest]) -> tuple[list[ReaderAnswer], float]:
        """Return the answers and the seconds that each took; opening the reader, once a process, is no part of them."""
        from rag_pipeline.extractive_qa.span_reader import shipped_reader  # a tenth of a run that reads nothing

        reader = await asyncio.to_thread(shipped_reader)
        watch, opened = Stopwatch(), reader.opening_s
        readings = await asyncio.to_thread(self._read, requests)
        return readings, (watch.elapsed() - (reader.opening_s - opened)) / len(requests)

    def _read(self, requests: Sequence[GenerationRequest]) -> list[ReaderAnswer]:
        from rag_pipeline.extractive_qa.answerability import AnswerabilityModel
        from rag_pipeline.extractive_qa.extractive_reader import ExtractiveReader
        from rag_pipeline.extractive_qa.span_reader import shipped_reader
        from rag_pipeline.extractive_qa.trained_model import card

        if not all(request.use_context for request in requests):
            raise ConfigError(_NO_CONTEXT, "use_context")
        if self.embed is None:
            self.embed = embedders.get("local")("all-MiniLM-L6-v2", "mean").embed_passages
        reader = ExtractiveReader(self.embed, shipped_reader(), AnswerabilityModel.of(card()), self.strictness)
        return reader.read_many(requests)


def _generation(reading: ReaderAnswer, latency_s: float, ttft_s: float | None) -> Generation:
    return Generation(reading.text, _FREE, latency_s + reading.kept_s, ttft_s, details=reading.details)
