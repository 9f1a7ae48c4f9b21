"""Streams that are read at the same time, and how they end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from evaluation.question_writers.by_model.concurrent_jobs import merged


class Ended(list[str]):
    """The names of the streams that were closed, in order."""

    async def stream(
        self, name: str, count: int, ready: asyncio.Event, others: asyncio.Event
    ) -> AsyncGenerator[str, None]:
        """Yield so many items, the first once another stream has begun: alone it would wait for ever."""
        try:
            ready.set()
            await others.wait()
            for number in range(count):
                yield f"{name}{number}"
        finally:
            self.append(name)


async def test_streams_are_read_at_the_same_time_each_in_its_order() -> None:
    one, two, ended = asyncio.Event(), asyncio.Event(), Ended()
    found = [each async for each in merged(ended.stream("a", 3, one, two), ended.stream("b", 2, two, one))]
    assert sorted(found) == ["a0", "a1", "a2", "b0", "b1"]
    assert [each for each in found if each.startswith("a")] == ["a0", "a1", "a2"]
    assert sorted(ended) == ["a", "b"]


async def failing(begun: asyncio.Event) -> AsyncGenerator[str, None]:
    await begun.wait()
    raise ValueError("no more")
    yield ""


async def test_a_failure_ends_all_after_what_each_is_at() -> None:
    begun, failed, left = asyncio.Event(), asyncio.Event(), []

    async def paid() -> AsyncGenerator[str, None]:
        begun.set()
        await failed.wait()
        yield "paid"
        left.append("asked once more")
        yield "never wanted"

    found: list[str] = []

    async def reading() -> None:
        async for each in merged(failing(begun), paid()):
            found.append(each)

    task = asyncio.create_task(reading())
    await begun.wait()
    await asyncio.sleep(0)
    failed.set()
    with pytest.raises(ValueError, match="no more"):
        await task
    assert (found, left) == (["paid"], [])


async def test_who_stops_reading_ends_all_at_once() -> None:
    begun, never, ended = asyncio.Event(), asyncio.Event(), Ended()
    begun.set()
    items = merged(ended.stream("a", 3, asyncio.Event(), begun), ended.stream("b", 3, asyncio.Event(), never))
    assert await anext(items) == "a0"
    await items.aclose()
    assert sorted(ended) == ["a", "b"]
