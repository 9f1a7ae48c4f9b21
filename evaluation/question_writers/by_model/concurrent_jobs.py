"""Asynchronous jobs, many at a time: started one by one, their results yielded as they finish."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
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
