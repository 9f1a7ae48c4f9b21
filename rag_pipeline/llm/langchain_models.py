"""All providers but OpenAI's protocol, by LangChain's `init_chat_model`: one prompt to a message, whole or in pieces.

Their clients are bound to the first event loop that used them: they get one that never ends.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from rag_pipeline.llm.call_settings import CallSettings
from rag_pipeline.llm.loop_thread import iterate_there, run_there
from rag_pipeline.llm.message import Message, Tokens
from rag_pipeline.llm.providers import incomplete, missing_package, module_of
from rag_pipeline.llm.target import LOCAL, Target
from rag_pipeline.runtime import ModelLimits

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, AIMessageChunk
    from langchain_core.messages.ai import UsageMetadata


_LONGEST = 512
"""Tokens of an answer of a model that runs here, where no limit is set."""


async def complete(target: Target, prompt: str, sent: CallSettings, limits: ModelLimits) -> Message:
    """Return the whole answer to a prompt. Raises whatever the provider's package raises; ProviderError (permanent)
    for an unknown provider, a missing package or a missing key.
    """
    model = await _model(target, sent, limits)
    message = await run_there(model.ainvoke(prompt))
    return Message(str(message.text), _finish(message), _tokens(message.usage_metadata))


async def pieces(target: Target, prompt: str, sent: CallSettings, limits: ModelLimits) -> AsyncGenerator[Message]:
    """Yield the pieces of an answer as they come. Raises as `complete` does."""
    from langchain_core.messages.ai import add_usage

    model = await _model(target, sent, limits)
    usage: UsageMetadata | None = None
    source = cast("AsyncGenerator[AIMessageChunk]", iterate_there(lambda: model.astream(prompt)))
    async with aclosing(source) as chunks:
        async for chunk in chunks:
            usage = add_usage(usage, chunk.usage_metadata) if chunk.usage_metadata else usage
            yield Message(str(chunk.text), _finish(chunk), _tokens(usage))


async def _model(target: Target, sent: CallSettings, limits: ModelLimits) -> BaseChatModel:
    if (module := "langchain.chat_models") not in sys.modules:  # heavy: beside the loop
        await asyncio.to_thread(importlib.import_module, module)
    if target.provider == LOCAL:
        return await asyncio.to_thread(_local, target.name, sent.temperature or 0.0, sent.max_tokens or _LONGEST)
    module = module_of(target)
    try:
        return _init(target, sent.temperature, sent.max_tokens, limits.timeout_s)
    except ImportError as error:
        cause = error.__cause__  # LangChain's error names the provider's package, its cause what was not found
        raise missing_package(target, module, str(getattr(cause, "name", ""))) from error
    except ValueError as error:
        raise incomplete(target, error) from error


def _local(name: str, temperature: float, max_tokens: int) -> BaseChatModel:
    from rag_pipeline.llm.local_chat import LocalChatModel

    return LocalChatModel(weights=name, temperature=temperature, max_tokens=max_tokens)


@lru_cache(maxsize=64)
def _init(target: Target, temperature: float | None, max_tokens: int | None, timeout_s: float) -> BaseChatModel:
    """Return the provider's model; kept, since its connections can only be closed by its own library."""
    from langchain.chat_models import init_chat_model

    wanted = {"temperature": temperature, "max_tokens": max_tokens}
    given: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
    model: BaseChatModel = init_chat_model(
        target.name, model_provider=target.provider, timeout=timeout_s, max_retries=0, **given
    )
    return model


def _finish(message: AIMessage) -> str:
    metadata = message.response_metadata
    return str(metadata.get("finish_reason") or metadata.get("stop_reason") or metadata.get("done_reason") or "")


def _tokens(usage: UsageMetadata | None) -> Tokens | None:
    if usage is None:
        return None
    cached = usage.get("input_token_details", {}).get("cache_read", 0)
    return Tokens.counted(usage["input_tokens"], usage["output_tokens"], cached)
