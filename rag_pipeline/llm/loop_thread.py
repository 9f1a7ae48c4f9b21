"""An event loop of our own in a thread, for clients that must outlive the caller's loop and for callers without one."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future, wait
from contextvars import Context
from functools import cache
from typing import Any, TypeVar, cast

from rag_pipeline.interruption import raise_if_interrupted

T = TypeVar("T")
_LOOK_UP_S = 0.5


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="model-calls", daemon=True).start()
    return loop


def _submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Begin `work` in the loop thread, in an empty context: there and in its threads nobody asks whether to go on."""
    return Context().run(asyncio.run_coroutine_threadsafe, work, _loop())


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in the loop thread and wait for it; given up when the waiting, or the work around it, is to stop."""
    future = _submit(work)
    try:
        while not wait([future], timeout=_LOOK_UP_S).done:
            raise_if_interrupted()
        return future.result()
    finally:
        future.cancel()


async def run_there(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in the loop thread and await it here; cancelled together with the caller."""
    return await asyncio.wrap_future(_submit(work))


async def iterate_there(make: Callable[[], AsyncIterator[T]]) -> AsyncIterator[T]:
    """Run the iterator that `make` returns in the loop thread and yield its items here."""
    here = asyncio.get_running_loop()
    arrived: asyncio.Queue[tuple[T] | None] = asyncio.Queue()

    async def pump() -> None:
        _keep_quiet_when_abandoned()
        async with contextlib.aclosing(cast("AsyncGenerator[T]", make())) as items:
            async for item in items:
                here.call_soon_threadsafe(arrived.put_nowait, (item,))

    def ended(_: Future[None]) -> None:
        if not here.is_closed():
            here.call_soon_threadsafe(arrived.put_nowait, None)

    pumping = _submit(pump())
    pumping.add_done_callback(ended)
    try:
        while (item := await arrived.get()) is not None:
            yield item[0]
        pumping.result()
    finally:
        pumping.cancel()


def iterate_blocking(make: Callable[[], AsyncIterator[T]]) -> Iterator[T]:
    """Run the iterator that `make` returns in the loop thread and yield its items to a caller without a loop.

    Work that is cancelled does not wait for the next item: WorkInterruptedError is raised, and what runs is given up.
    """
    arrived: queue.SimpleQueue[tuple[T] | None] = queue.SimpleQueue()

    async def pump() -> None:
        _keep_quiet_when_abandoned()
        async with contextlib.aclosing(cast("AsyncGenerator[T]", make())) as items:
            async for item in items:
                arrived.put((item,))

    pumping = _submit(pump())
    pumping.add_done_callback(lambda _: arrived.put(None))
    try:
        while (item := _next(arrived)) is not None:
            yield item[0]
        pumping.result()
    finally:
        pumping.cancel()


def _next(arrived: queue.SimpleQueue[tuple[T] | None]) -> tuple[T] | None:
    """Wait for the next item, as long as the surrounding work goes on."""
    while True:
        raise_if_interrupted()
        with contextlib.suppress(queue.Empty):
            return arrived.get(timeout=_LOOK_UP_S)


def _keep_quiet_when_abandoned() -> None:
    """Look at the running task's failure when it ends: after a cancellation nobody else does, and asyncio complains."""
    task = asyncio.current_task()
    assert task is not None
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
