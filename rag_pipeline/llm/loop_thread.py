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
    The caller's thread does what the iterator hands to `current_iteration().off_loop` while it waits.
    """
    with contextlib.closing(batches_blocking(make)) as batches:
        for batch in batches:
            yield from batch


def batches_blocking(make: Callable[[], AsyncIterator[T]]) -> Generator[list[T]]:
    """Do as `iterate_blocking` does, and yield all items together that have come by then, at least one."""
    iteration = Iteration()

    async def pump() -> None:
        _keep_quiet_when_abandoned()
        _iteration.set(iteration)
        async with contextlib.aclosing(cast("AsyncGenerator[T]", make())) as items:
            async for item in items:
                iteration.arrived.put((item,))

    pumping = _submit(pump())
    pumping.add_done_callback(lambda _: iteration.arrived.put(None))
    try:
        ended = False
        while not ended:
            items, ended = _next_batch(iteration.arrived)
            if items:
                yield items
        pumping.result()
    finally:
        pumping.cancel()
        for finish in iteration.at_end:
            finish()


def _next_batch(arrived: queue.SimpleQueue[Any]) -> tuple[list[Any], bool]:
    """Wait for the next item and take those behind it; return them, and whether the last one has come."""
    items: list[Any] = []
    while not items or not arrived.empty():
        item = _next(arrived)
        if item is None:
            return items, True
        if isinstance(item, _Job):
            item.do()
        else:
            items.append(item[0])
    return items, False


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


async def as_they_come(sources: Sequence[AsyncIterator[T]]) -> AsyncGenerator[T]:
    """Yield what several iterators yield, run at once; the first failure is raised, and ends the others."""
    arrived: asyncio.Queue[tuple[T] | None] = asyncio.Queue()

    async def pump(source: AsyncIterator[T]) -> None:
        async with contextlib.aclosing(cast("AsyncGenerator[T]", source)) as items:
            async for item in items:
                arrived.put_nowait((item,))

    tasks = [asyncio.ensure_future(pump(source)) for source in sources]
    for task in tasks:
        task.add_done_callback(lambda _: arrived.put_nowait(None))
    try:
        left = len(tasks)
        while left:
            item = await arrived.get()
            if item is not None:
                yield item[0]
                continue
            left -= 1
            for task in tasks:
                if task.done():
                    task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def together(*work: Awaitable[T]) -> list[T]:
    """Return what several coroutines return, run at once; the first failure is raised, and ends the others."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


class Iteration:
    """One `iterate_blocking`: a thread waits for its items and does what only a thread may do, such as the database.

    `at_end` is called in that thread when the iteration has ended, however it ended.
    """

    def __init__(self) -> None:
        self.arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.at_end: list[Callable[[], None]] = []

    async def off_loop(self, work: Callable[[], T]) -> T:
        """Have `work` done by the thread that waits, and return its result."""
        job = _Job(work, asyncio.get_running_loop())
        self.arrived.put(job)
        result: T = await job.result
        return result


def current_iteration() -> Iteration | None:
    """Return the iteration that the running task belongs to; None where no thread waits for it."""
    return _iteration.get()


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


_iteration: ContextVar[Iteration | None] = ContextVar("iteration", default=None)


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
