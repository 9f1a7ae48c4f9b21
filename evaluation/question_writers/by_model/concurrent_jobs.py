"""Asynchronous jobs, many at a time: started one by one, their results yielded as they finish."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

_AT_ONCE = 64
"""Jobs at once; how many of their calls are sent, the gate of the model says."""


async def run_jobs(
    next_job: Callable[[], Awaitable[T] | None], wanted: Callable[[], int], at_once: int = _AT_ONCE
) -> AsyncIterator[T]:
    """Yield results until `wanted` is 0 or `next_job` returns None and all jobs have ended.

    `next_job` returns the next job. No more jobs are in flight than results are still wanted. A failure ends them all.
    """
    running: set[asyncio.Future[T]] = set()
    try:
        while wanted() > 0:
            while len(running) < min(at_once, wanted()) and (job := next_job()) is not None:
                running.add(asyncio.ensure_future(job))
            if not running:
                return
            ended, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for job_done in ended:
                yield job_done.result()
    finally:
        for job_left in running:
            job_left.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def merged(*streams: AsyncGenerator[T, None]) -> AsyncIterator[T]:
    """Yield what several streams yield as it comes. A failure ends them all, after what each was at: it is paid for."""
    waiting = {asyncio.ensure_future(anext(stream)): stream for stream in streams}
    failure: BaseException | None = None
    try:
        while waiting:
            ended, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for job in sorted(ended, key=lambda each: each.exception() is None):  # after a failure none goes on
                stream, error = waiting.pop(job), job.exception()
                if error is not None:
                    failure = failure or (None if isinstance(error, StopAsyncIteration) else error)
                    continue
                if failure is None:
                    waiting[asyncio.ensure_future(anext(stream))] = stream
                yield job.result()
        if failure is not None:
            raise failure
    finally:
        for job in waiting:
            job.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for stream in streams:
            await stream.aclose()
