"""Retry: wait and try again where that can help, and remember how often."""

from __future__ import annotations

import asyncio
import random

from rag_pipeline.llm.failures import ModelCallError
from rag_pipeline.runtime import ModelLimits


class Retry:
    """The attempts at one request: exponential waits with jitter, longer where the provider asks for it."""

    def __init__(self, limits: ModelLimits) -> None:
        self._limits = limits
        self.attempts = 1
        self.waited_s = 0.0

    async def wait(self, failure: ModelCallError) -> None:
        """Wait before the next attempt. Raises `failure` when another one cannot help or was the last."""
        wait_s = self._wait_s(failure)
        if not failure.retryable or wait_s is None:
            raise failure
        if self.attempts > self._limits.max_retries:
            raise self._exhausted(failure)
        await asyncio.sleep(wait_s)
        self.waited_s += wait_s
        self.attempts += 1

    def _wait_s(self, failure: ModelCallError) -> float | None:
        """Return the seconds to wait, None when the provider asks for longer than anyone would wait."""
        asked = failure.retry_after or 0.0
        if asked > self._limits.longest_wait_s:
            return None
        backoff = min(self._limits.first_wait_s * 2.0 ** (self.attempts - 1), self._limits.longest_wait_s)
        # Jitter spreads the questions that were refused together, so that they do not come back together.
        jittered = backoff * random.uniform(0.5, 1.0)
        return max(jittered, asked + random.uniform(0.0, 0.1) * asked)

    def _exhausted(self, failure: ModelCallError) -> ModelCallError:
        if self.attempts == 1:
            return failure
        return ModelCallError(f"{failure} (Tried {self.attempts} times.)", retry_after=failure.retry_after)
