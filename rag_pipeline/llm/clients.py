"""One OpenAI client per event loop: its connections are shared by all calls and closed with the loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from rag_pipeline.llm.target import Target
from rag_pipeline.runtime import ModelLimits

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True, slots=True)
class _Kept:
    client: AsyncOpenAI
    closer: AsyncGenerator[None]


_Key = tuple[str, str, float]
_kept: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[_Key, _Kept]] = WeakKeyDictionary()
_lock = threading.Lock()


async def openai_client(target: Target, limits: ModelLimits) -> AsyncOpenAI:
    """Return the running loop's client for this address and key.

    A connection belongs to the loop that opened it, and the worker starts a loop for each task: a client must never
    be used in another one. Raises ProviderError when the key is missing.
    """
    target.check_address()
    key: _Key = (target.base_url, target.api_key(), limits.timeout_s)
    loop = asyncio.get_running_loop()
    with _lock:
        for ended in [other for other in _kept if other.is_closed()]:
            del _kept[ended]
        clients = _kept.setdefault(loop, {})
        known = clients.get(key)
        if known is not None:
            return known.client
        client = _make_client(key)
        clients[key] = _Kept(client, _close_with_loop(client))
    await anext(clients[key].closer)
    return client


def _make_client(key: _Key) -> AsyncOpenAI:
    import openai

    base_url, api_key, timeout_s = key
    return openai.AsyncOpenAI(
        base_url=base_url or None,
        api_key=api_key,
        max_retries=0,  # retries are ours, so that they are counted
        timeout=openai.Timeout(timeout_s, connect=min(10.0, timeout_s)),
        http_client=openai.DefaultAioHttpClient(),  # a fifth less processor time a call than the default
    )


async def _close_with_loop(client: AsyncOpenAI) -> AsyncGenerator[None]:
    """Close the client when the loop ends: `asyncio.run` finishes every async generator that was started."""
    try:
        yield
    finally:
        _kept.pop(asyncio.get_running_loop(), None)
        await client.close()
