"""The built-in extractive reader as a generator: no key, no network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence

from rag_pipeline.embedders.base import Embed, embedders
from rag_pipeline.errors import ConfigError, PipelineError, UsageError
from rag_pipeline.extractive_qa.kept_answers import KeptAnswers, ReaderAnswer
from rag_pipeline.generators.base import Generator, Result, Stopwatch, generators
from rag_pipeline.types import Generation, GenerationRequest, Usage

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
    `kept`: where answers are kept by their request; None = nowhere.
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
        self.kept: KeptAnswers | None = None

    async def stream(self, request: GenerationRequest) -> AsyncIterator[str | Generation]:
        """Yield the answer in one piece, then the result."""
        ((reading, seconds),) = await self._timed([request])
        yield reading.text
        yield _generation(reading, seconds, seconds + reading.kept_s)

    async def generate_many(self, requests: Sequence[GenerationRequest]) -> AsyncGenerator[tuple[int, Result]]:
        """Answer the whole block at once, so that its passages are read in batches."""
        try:
            readings = await self._timed(requests)
        except PipelineError as error:
            for position in range(len(requests)):
                yield position, error
            return
        for position, (reading, seconds) in enumerate(readings):
            yield position, _generation(reading, seconds, None)

    async def _timed(self, requests: Sequence[GenerationRequest]) -> list[tuple[ReaderAnswer, float]]:
        """Return the answers with the seconds that each took now."""
        if not all(request.use_context for request in requests):
            raise ConfigError(_NO_CONTEXT, "use_context")
        kept, looked_up = await self._looked_up(requests)
        new = [request for request, answer in zip(requests, kept, strict=True) if answer is None]
        answers = iter(await self._answered_now(new) if new else [])
        return [next(answers) if answer is None else (answer, looked_up) for answer in kept]

    async def _looked_up(self, requests: Sequence[GenerationRequest]) -> tuple[list[ReaderAnswer | None], float]:
        """Return what was answered before, None for the others, and the seconds that looking for each took."""
        if self.kept is None or not requests:
            return [None] * len(requests), 0.0
        watch = Stopwatch()
        found = await asyncio.to_thread(self.kept.get, requests)
        return found, watch.elapsed() / len(requests)

    async def _answered_now(self, requests: Sequence[GenerationRequest]) -> list[tuple[ReaderAnswer, float]]:
        """Answer and keep it. Opening the reader, once a process, is no part of what an answer took."""
        from rag_pipeline.extractive_qa.span_reader import shipped_reader  # a tenth of a run that reads nothing

        reader = await asyncio.to_thread(shipped_reader)
        watch, opened = Stopwatch(), reader.opening_s
        answers = await asyncio.to_thread(self._read, requests)
        seconds = (watch.elapsed() - (reader.opening_s - opened)) / len(requests)
        if self.kept:
            await asyncio.to_thread(self.kept.put, requests, answers, seconds)
        return [(answer, seconds) for answer in answers]

    def _read(self, requests: Sequence[GenerationRequest]) -> list[ReaderAnswer]:
        from rag_pipeline.extractive_qa.answerability import AnswerabilityModel
        from rag_pipeline.extractive_qa.extractive_reader import ExtractiveReader
        from rag_pipeline.extractive_qa.span_reader import shipped_reader
        from rag_pipeline.extractive_qa.trained_model import card

        if self.embed is None:
            self.embed = embedders.get("local")("all-MiniLM-L6-v2", "mean").embed_passages
        reader = ExtractiveReader(self.embed, shipped_reader(), AnswerabilityModel.of(card()), self.strictness)
        return reader.read_many(requests)


def _generation(reading: ReaderAnswer, latency_s: float, ttft_s: float | None) -> Generation:
    return Generation(reading.text, _FREE, latency_s + reading.kept_s, ttft_s, details=reading.details)
