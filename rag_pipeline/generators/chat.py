"""Answers by a chat model of any provider, streamed."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from rag_pipeline.generators.base import Generator, generators
from rag_pipeline.llm.chat import ChatModel
from rag_pipeline.llm.replies import Reply
from rag_pipeline.runtime import ModelLimits
from rag_pipeline.types import Generation, GenerationRequest


@generators.register
class ChatGenerator(Generator):
    """Sends the filled prompt as it is to `provider:name` and returns what the model says."""

    key = "chat"
    label = "Chat model"
    help = "Any provider of LangChain's init_chat_model, or a server that speaks OpenAI's protocol."

    def __init__(
        self,
        provider: str,
        name: str,
        temperature: float = 0.0,
        max_tokens: int = 512,
        limits: ModelLimits | None = None,
    ) -> None:
        super().__init__(provider, name, temperature, max_tokens)
        self._model = ChatModel(provider, name, temperature=temperature, max_tokens=max_tokens, limits=limits)

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[str | Generation]:
        """Yield pieces as the model sends them, then the Generation."""
        async with aclosing(self._model.stream(request.prompt)) as pieces:
            async for piece in pieces:
                yield _generation(piece) if isinstance(piece, Reply) else piece

    async def generate(self, request: GenerationRequest) -> Generation:
        """Answer one request. Nobody reads along, so that an answer that breaks off is asked for again."""
        return _generation(await self._model.ask(request.prompt, streaming=True))


def _generation(reply: Reply) -> Generation:
    details: dict[str, object] = {
        "finish": reply.finish, "attempts": reply.attempts, "waited_s": round(reply.waited_s, 3)
    }  # fmt: skip
    if reply.kept:
        details["kept"] = True
    return Generation(reply.text, reply.usage, reply.latency_s, reply.ttft_s, reply.notes, details)
