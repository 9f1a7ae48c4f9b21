"""An event loop of our own in a thread, for clients that must outlive the caller's loop and for callers without one."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Generator, Sequence
from concurrent.futures import Future, wait
from contextvars import Context, ContextVar
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


def iterate_blocking(make: Callable[[], AsyncIterator[T]]) -> Generator[T]:
    """Run the iterator that `make` returns in the loop thread and yield its items to a caller without a loop.

    Work that is cancelled does not wait for the next item: WorkInterruptedError is raised, and what runs is given up.
    What the iterator hands to `off_loop` is done by the caller's thread while it waits.
    """
    arrived: queue.SimpleQueue[tuple[T] | _Job | None] = queue.SimpleQueue()

    async def pump() -> None:
        _keep_quiet_when_abandoned()
        _driver.set(arrived)
        async with contextlib.aclosing(cast("AsyncGenerator[T]", make())) as items:
            async for item in items:
                arrived.put((item,))

    pumping = _submit(pump())
    pumping.add_done_callback(lambda _: arrived.put(None))
    try:
        while (item := _next(arrived)) is not None:
            if isinstance(item, _Job):
                item.do()
            else:
                yield item[0]
        pumping.result()
    finally:
        pumping.cancel()


def gather_blocking(coroutines: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Run coroutines in the loop thread, all at once, and return what they return, in order.

    The first failure is raised, and ends the others.
    """
    results: dict[int, T] = dict(as_completed_blocking(coroutines))
    return [results[position] for position in range(len(coroutines))]


def as_completed_blocking(coroutines: Sequence[Coroutine[Any, Any, T]]) -> Generator[tuple[int, T]]:
    """Run coroutines in the loop thread, all at once, and yield (position, result) as they end.

    The first failure is raised, and ends the others.
    """

    async def one(position: int) -> tuple[int, T]:
        return position, await coroutines[position]

    async def all_() -> AsyncGenerator[tuple[int, T]]:
        tasks = [asyncio.ensure_future(one(position)) for position in range(len(coroutines))]
        try:
            for ended in asyncio.as_completed(tasks):
                yield await ended
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for coroutine in coroutines:
                coroutine.close()  # one that never began would be complained about

    return iterate_blocking(all_)


async def together(*work: Awaitable[T]) -> list[T]:
    """Return what several coroutines return, run at once; the first failure is raised, and ends the others."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def off_loop(work: Callable[[], T]) -> T:
    """Have `work`, which may use the database, done by the thread that waits for this iteration; return its result.

    Only in what `iterate_blocking` runs: there somebody waits.
    """
    job = _Job(work, asyncio.get_running_loop())
    _driver.get().put(job)
    result: T = await job.result
    return result


class _Job:
    """Work for the thread that waits."""

    def __init__(self, work: Callable[[], Any], loop: asyncio.AbstractEventLoop) -> None:
        self.result: asyncio.Future[Any] = loop.create_future()
        self._work = work
        self._loop = loop

    def do(self) -> None:
        """Do it, and hand the result, or the failure, to who awaits it."""
        try:
            result = self._work()
        except Exception as failure:  # noqa: BLE001 - it is raised where the result is awaited
            self._loop.call_soon_threadsafe(self._settle, self.result.set_exception, failure)
        else:
            self._loop.call_soon_threadsafe(self._settle, self.result.set_result, result)

    def _settle(self, settle: Callable[[Any], None], value: Any) -> None:
        if not self.result.done():
            settle(value)


_driver: ContextVar[queue.SimpleQueue[Any]] = ContextVar("driver")
"""Where the thread that waits for the present iteration takes its items from."""


def _next(arrived: queue.SimpleQueue[T]) -> T:
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
