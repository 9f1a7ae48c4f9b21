"""From a target to a LangChain chat model: OpenAI's protocol directly, all other providers by `init_chat_model`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from rag_pipeline.errors import ProviderError
from rag_pipeline.llm.call_settings import CallSettings
from rag_pipeline.llm.clients import openai_client
from rag_pipeline.llm.limits import ModelLimits
from rag_pipeline.llm.target import OPENAI, Target

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

EXAMPLES = "openai:gpt-4.1-mini, anthropic:claude-sonnet-4-5, ollama:llama3.1, builtin:extractive"


async def connect(target: Target, settings: CallSettings, limits: ModelLimits) -> BaseChatModel:
    """Return a chat model for the running event loop.

    Raises ProviderError (permanent) for an unknown provider, a missing package or a missing key.
    """
    if target.provider == OPENAI:
        return await _connect_openai(target, settings, limits)
    return _connect_other(target, settings, limits)


async def _connect_openai(target: Target, settings: CallSettings, limits: ModelLimits) -> BaseChatModel:
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
    try:
        return _init(target, settings.temperature, settings.max_tokens, limits.timeout_s)
    except ImportError as error:
        raise ProviderError(_missing_package(target, error), permanent=True) from error
    except ValidationError as error:
        raise ProviderError(_incomplete(target, str(error)), permanent=True) from error
    except ValueError as error:
        if "nsupported" in str(error) and "provider" in str(error):
            raise unknown_provider(target) from error
        raise ProviderError(_incomplete(target, str(error)), permanent=True) from error


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


def unknown_provider(target: Target) -> ProviderError:
    """Return the error for a provider that LangChain does not know."""
    return ProviderError(
        f"There is no model provider called “{target.provider}”. Write the model as provider:model, "
        f"for example {EXAMPLES}.",
        permanent=True,
    )


def _missing_package(target: Target, error: ImportError) -> str:
    """Name the provider's package, or the one that it misses itself."""
    from langchain.chat_models.base import _BUILTIN_PROVIDERS

    module = _BUILTIN_PROVIDERS.get(target.provider, (str(error.name or ""),))[0].partition(".")[0]
    package = module.replace("_", "-")
    cause = error.__cause__
    missing = cause.name if isinstance(cause, ImportError) and cause.name else module
    if missing.partition(".")[0] == module:
        return (
            f"Models of {target.provider} need the package {package}. Install it with “pip install {package}” in the "
            "workbench's environment and restart the workbench."
        )
    return (
        f"The package {package} is installed but misses {missing}. Install it again with “pip install {package}” and "
        "restart the workbench."
    )


def _incomplete(target: Target, said: str) -> str:
    line = " ".join(said.split())[:200]
    return (
        f"{target.setting} cannot be used yet. Most often its key is missing: set {target.key_name} and restart the "
        f"workbench. The provider's package said: {line}"
    )
