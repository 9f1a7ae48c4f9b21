"""Retry: wait and try again where that can help, and remember how often."""

from __future__ import annotations

import asyncio
import random

from rag_pipeline.llm.failures import ModelCallError
from rag_pipeline.llm.gate import Gate
from rag_pipeline.runtime import ModelLimits


class Retry:
    """The attempts at one request: exponential waits with jitter, longer where the provider asks for it.

    While a busy server answers other calls, being refused does not count: one's turn will come. For the time that a
    provider names the gate keeps all calls back.
    """

    def __init__(self, limits: ModelLimits, gate: Gate | None = None) -> None:
        self._limits = limits
        self._gate = gate
        self._answered = gate.answered if gate else 0
        self._failed = 0
        self.attempts = 1
        self.waited_s = 0.0

    async def wait(self, failure: ModelCallError) -> None:
        """Wait before the next attempt. Raises `failure` when another one cannot help or was the last."""
        wait_s = self._wait_s(failure)
        if not failure.retryable or wait_s is None:
            raise failure
        if not (failure.busy and self._others_were_answered()):
            self._failed += 1
        if self._failed > self._limits.max_retries:
            raise self._exhausted(failure)
        if not (self._gate and failure.busy and failure.retry_after):
            await asyncio.sleep(wait_s)
        self.waited_s += wait_s
        self.attempts += 1

    def _others_were_answered(self) -> bool:
        """Tell whether the server has answered another call since this was last asked."""
        before, self._answered = self._answered, self._gate.answered if self._gate else 0
        return self._answered > before

    def _wait_s(self, failure: ModelCallError) -> float | None:
        """Return the seconds to wait, None when the provider asks for longer than anyone would wait."""
        asked = failure.retry_after or 0.0
        if asked > self._limits.longest_wait_s:
            return None
        backoff = min(self._limits.first_wait_s * 2.0**self._failed, self._limits.longest_wait_s)
        # Jitter spreads the questions that were refused together, so that they do not come back together.
        jittered = backoff * random.uniform(0.5, 1.0)
        return max(jittered, asked + random.uniform(0.0, 0.1) * asked)

    def _exhausted(self, failure: ModelCallError) -> ModelCallError:
        if self.attempts == 1:
            return failure
        return ModelCallError(f"{failure} (Tried {self.attempts} times.)", retry_after=failure.retry_after)
