"""Generators: a filled prompt to an answer."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from typing import ClassVar

from rag_pipeline.errors import ConfigError, PipelineError, ProviderError
from rag_pipeline.registry import Registry, Unit
from rag_pipeline.types import Generation, GenerationRequest

Result = Generation | PipelineError
Complete = Callable[[str], Awaitable[Generation]]
"""Ask the model one prompt of our own (a rewritten question, an order of passages). Raises ProviderError."""


class Generator(Unit):
    """Answers from a filled prompt. `provider` and `name` are the two halves of the setting `llm`."""

    completes: ClassVar[bool] = True
    """False for the built-in reader, which answers from contexts and nothing else."""

    def __init__(self, provider: str, name: str, temperature: float = 0.0, max_tokens: int = 512) -> None:
        super().__init__()
        self.provider = provider
        self.name = name
        self.temperature = temperature
        self.max_tokens = max_tokens

    @abstractmethod
    def stream(self, request: GenerationRequest) -> AsyncIterator[str | Generation]:
        """Yield pieces of the answer as they come, then one `Generation`. Raises ProviderError or ConfigError."""

    async def generate(self, request: GenerationRequest) -> Generation:
        """Answer one request. Raises ProviderError or ConfigError."""
        async for piece in self.stream(request):
            if isinstance(piece, Generation):
                return piece
        raise ProviderError("The model ended its answer without a result. Try again.")

    async def complete(self, prompt: str) -> Generation:
        """Ask one prompt that is not a question of the user. Raises ProviderError or ConfigError."""
        return await self.generate(GenerationRequest("", (), prompt, prompt, "", use_context=False))

    async def generate_many(self, requests: Sequence[GenerationRequest]) -> AsyncGenerator[tuple[int, Result]]:
        """Answer all requests at once, as far as the model's gate lets them; yield (position, result) as each finishes.

        A failure is yielded, not raised. After a permanent one nothing more is sent, and what was not is left out.
        """
        stopped = False

        async def one(position: int) -> tuple[int, Result] | None:
            nonlocal stopped
            if stopped:
                return None
            try:
                return position, await self.generate(requests[position])
            except PipelineError as error:
                if not getattr(error, "permanent", False):
                    return position, error
                first, stopped = not stopped, True
                return (position, error) if first else None

        tasks = [asyncio.ensure_future(one(position)) for position in range(len(requests))]
        try:
            for finished in asyncio.as_completed(tasks):
                result = await finished
                if result is not None:
                    yield result
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def aclose(self) -> None:
        """Release connections; the generator is not used afterwards."""


class Stopwatch:
    """Seconds since creation, by the monotonic clock."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    def elapsed(self) -> float:
        """Return seconds since creation."""
        return time.perf_counter() - self._start


generators: Registry[Generator] = Registry("model", "rag_pipeline.generators")
"""`builtin` extracts without a model; `chat` is every provider of LangChain's `init_chat_model`."""


def generator_for(llm: str, temperature: float = 0.0, max_tokens: int = 512) -> Generator:
    """Return the generator for the setting `llm` (`provider:name`). Raises ConfigError where it cannot be used."""
    provider, _, name = llm.partition(":")
    unit = generators.get("builtin" if provider == "builtin" else "chat", "llm")
    if absent := unit.missing():
        raise ConfigError(absent, "llm")
    return unit(provider, name, temperature, max_tokens)
