"""From a target to a LangChain chat model: OpenAI's protocol directly, all other providers by `init_chat_model`."""

from __future__ import annotations

import asyncio
import importlib
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rag_pipeline.llm.call_settings import CallSettings
from rag_pipeline.llm.clients import openai_client
from rag_pipeline.llm.providers import incomplete, missing_package, module_of
from rag_pipeline.llm.target import OPENAI, Target
from rag_pipeline.runtime import ModelLimits

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


async def connect(target: Target, settings: CallSettings, limits: ModelLimits) -> BaseChatModel:
    """Return a chat model for the running event loop.

    Raises ProviderError (permanent) for an unknown provider, a missing package or a missing key.
    """
    if target.provider == OPENAI:
        return await _connect_openai(target, settings, limits)
    await _load("langchain.chat_models")
    return _connect_other(target, settings, limits)


async def _load(module: str) -> None:
    """Import a heavy module beside the loop: the first question must not stop everybody else for seconds."""
    if module not in sys.modules:
        await asyncio.to_thread(importlib.import_module, module)


async def _connect_openai(target: Target, settings: CallSettings, limits: ModelLimits) -> BaseChatModel:
    await _load("langchain_openai")
    from langchain_openai import ChatOpenAI

    client = await openai_client(target, limits)

    async def api_key() -> str:  # an async key keeps LangChain from making a second, synchronous client
        return client.api_key

    # OpenAI renamed the limit; many compatible servers know only the old name and would silently ignore the new one.
    new_name = settings.new_limit_name if settings.new_limit_name is not None else not target.is_compatible_server
    limit = {} if settings.max_tokens is None else {"max_tokens": settings.max_tokens}
    return ChatOpenAI(
        model=target.name,
        api_key=api_key,
        base_url=target.base_url or None,
        root_async_client=client,
        async_client=client.chat.completions,
        max_retries=0,
        stream_usage=settings.stream_usage,
        stream_chunk_timeout=None,  # silence is bounded by ChatModel, for every provider alike
        use_responses_api=False,
        temperature=settings.temperature,
        max_completion_tokens=settings.max_tokens if new_name else None,
        extra_body=None if new_name else limit,
    )


def _connect_other(target: Target, settings: CallSettings, limits: ModelLimits) -> BaseChatModel:
    module = module_of(target)
    try:
        return _init(target, settings.temperature, settings.max_tokens, limits.timeout_s)
    except ImportError as error:
        cause = error.__cause__  # LangChain's error names the provider's package, its cause what was not found
        raise missing_package(target, module, str(getattr(cause, "name", ""))) from error
    except ValueError as error:
        raise incomplete(target, error) from error


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
