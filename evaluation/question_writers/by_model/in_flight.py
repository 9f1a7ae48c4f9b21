"""A few jobs at a time: started one by one, their results taken as they come, failures borne up to a point."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from rag_pipeline.errors import ProviderError

T = TypeVar("T")

IN_FLIGHT = 4
"""Jobs at once. Each asks the model several times."""


async def as_they_come(
    start: Callable[[], Awaitable[T] | None], wanted: Callable[[], int], at_once: int = IN_FLIGHT
) -> AsyncIterator[T]:
    """Yield results until `wanted` is 0 or `start` returns None and all jobs have ended.

    `start` returns the next job. No more jobs are in flight than results are still wanted. A failure ends them all.
    """
    running: set[asyncio.Future[T]] = set()
    try:
        while wanted() > 0:
            while len(running) < min(at_once, wanted()) and (job := start()) is not None:
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


@dataclass(slots=True)
class Patience:
    """Bears with failing calls until it is clear that the model cannot be used."""

    most_in_a_row: int = 3
    failures: int = 0

    def note(self, failed: ProviderError | None) -> None:
        """Count an outcome. Raises the failure when it is permanent or one too many in a row."""
        self.failures = self.failures + 1 if failed else 0
        if failed is not None and (failed.permanent or self.failures >= self.most_in_a_row):
            raise failed
