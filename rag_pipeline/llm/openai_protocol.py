"""OpenAI's protocol by its own client: one prompt to a message, whole or in pieces.

Without LangChain in between, which takes as much processor time a call as the client itself.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from rag_pipeline.llm.call_settings import CallSettings
from rag_pipeline.llm.clients import openai_client
from rag_pipeline.llm.message import Heed, Message, Tokens
from rag_pipeline.llm.target import Target
from rag_pipeline.runtime import ModelLimits

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk


async def complete(
    target: Target, prompt: str, sent: CallSettings, limits: ModelLimits, heed: Heed, schema: dict[str, Any] | None
) -> Message:
    """Return the whole answer to a prompt. Raises whatever the client raises, ValueError for an answer in no form."""
    import httpx2  # what the client of OpenAI sends with

    client = await _client(target, limits)
    # The client's way to any address: its method for this one takes half of a call's processor time to look for keys to
    # rename in the request, and refuses a reply of a form that was cut off.
    request = _request(target, prompt, sent, schema)
    response = await client.post("/chat/completions", cast_to=httpx2.Response, body=request)
    heed(response.headers)
    return _read(response.json())


async def pieces(
    target: Target, prompt: str, sent: CallSettings, limits: ModelLimits, heed: Heed
) -> AsyncGenerator[Message]:
    """Yield the pieces of an answer as they come. Raises as `complete` does."""
    client = await _client(target, limits)
    counted: dict[str, Any] = {"stream_options": {"include_usage": True}} if sent.stream_usage else {}
    request = _request(target, prompt, sent, None) | counted
    stream: AsyncStream[ChatCompletionChunk] = await client.chat.completions.create(**request, stream=True)
    heed(stream.response.headers)
    async with stream:
        async for chunk in stream:
            yield _piece(chunk)


async def _client(target: Target, limits: ModelLimits) -> AsyncOpenAI:
    if "openai" not in sys.modules:  # beside the loop: the first question must not stop everybody else for a second
        await asyncio.to_thread(importlib.import_module, "openai")
    return await openai_client(target, limits)


def _request(target: Target, prompt: str, sent: CallSettings, schema: dict[str, Any] | None) -> dict[str, Any]:
    request: dict[str, Any] = {"model": target.name, "messages": [{"role": "user", "content": prompt}]}
    if sent.temperature is not None:
        request["temperature"] = sent.temperature
    if sent.max_tokens is not None:
        # OpenAI renamed the limit; many compatible servers know the old name only and would ignore the new one.
        new_name = not target.is_compatible_server if sent.new_limit_name is None else sent.new_limit_name
        request["max_completion_tokens" if new_name else "max_tokens"] = sent.max_tokens
    if schema is not None and sent.json_schema:
        form = {"name": schema.get("title", "answer"), "schema": schema, "strict": True}
        request["response_format"] = {"type": "json_schema", "json_schema": form}
    return request


def _read(body: Any) -> Message:
    """Return the message in the body of a response. Raises ValueError where it holds none, or an error instead."""
    if not isinstance(body, dict):
        raise ValueError("the body is no JSON object")
    if error := body.get("error"):
        raise ValueError(error)
    choice = body["choices"][0]
    message = choice["message"]
    # Asked for a form, OpenAI's models decline in a field of its own.
    text = _text(message.get("content")) or message.get("refusal") or ""
    return Message(str(text), str(choice.get("finish_reason") or ""), _tokens(body.get("usage")))


def _piece(chunk: Any) -> Message:
    tokens = _tokens(chunk.usage.model_dump() if chunk.usage else None)
    if not chunk.choices:
        return Message(tokens=tokens)
    choice = chunk.choices[0]
    text = _text(choice.delta.content) if choice.delta else ""
    return Message(text, str(choice.finish_reason or ""), tokens)


def _text(content: Any) -> str:
    """Return the text of a message: a string, or a list of parts of which some are text."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type") == "text")
    return content or ""


def _tokens(usage: dict[str, Any] | None) -> Tokens | None:
    if not usage:
        return None
    details = usage.get("prompt_tokens_details") or {}
    return Tokens.counted(usage.get("prompt_tokens"), usage.get("completion_tokens"), details.get("cached_tokens"))
