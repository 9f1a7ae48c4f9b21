"""Work in the loop thread, waited for with and without a loop of one's own."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator

import pytest

from rag_pipeline.interruption import WorkInterruptedError, interruptible
from rag_pipeline.llm.loop_thread import iterate_blocking, iterate_there, run_blocking, run_there


async def thread_name() -> str:
    return threading.current_thread().name


async def numbers(ended: threading.Event, fail_at: int = 99) -> AsyncIterator[int]:
    try:
        for number in itertools.count():
            if number == fail_at:
                raise ValueError("no further")
            yield number
            await asyncio.sleep(0.001)
    finally:
        ended.set()


async def test_runs_elsewhere_and_returns_here() -> None:
    assert await run_there(thread_name()) == "model-calls"


def test_blocks_a_caller_without_a_loop() -> None:
    assert run_blocking(thread_name()) == "model-calls"


async def test_items_arrive_in_order_and_so_does_the_failure() -> None:
    ended = threading.Event()
    seen = []
    source = iterate_there(lambda: numbers(ended, fail_at=5))
    with pytest.raises(ValueError, match="no further"):
        seen += [number async for number in source]
    assert ended.is_set()


def test_items_arrive_in_order_without_a_loop() -> None:
    ended = threading.Event()
    source = iterate_blocking(lambda: numbers(ended, fail_at=3))
    assert [next(source), next(source), next(source)] == [0, 1, 2]
    with pytest.raises(ValueError, match="no further"):
        next(source)


async def test_the_work_ends_when_nobody_wants_its_items() -> None:
    ended = threading.Event()
    source = iterate_there(lambda: numbers(ended))
    assert await anext(source) == 0
    await source.aclose()
    assert ended.wait(60)


def test_the_work_ends_when_its_iterator_is_closed() -> None:
    ended = threading.Event()
    source = iterate_blocking(lambda: numbers(ended))
    next(source)
    source.close()
    assert ended.wait(60)


def test_work_that_is_to_stop_does_not_wait_for_what_never_comes() -> None:
    begun, ended = threading.Event(), threading.Event()

    async def silence() -> AsyncIterator[int]:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        yield 0

    source = iterate_blocking(silence)
    with interruptible(begun.is_set), pytest.raises(WorkInterruptedError):
        next(source)
    assert ended.wait(60)


async def test_cancelling_the_caller_cancels_the_work() -> None:
    begun, cancelled = threading.Event(), threading.Event()

    async def wait_for_ever() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    task = asyncio.create_task(run_there(wait_for_ever()))
    assert await asyncio.to_thread(begun.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cancelled.wait(60)
