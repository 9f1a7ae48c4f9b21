"""Circuit breaker: ends work with a provider that fails for good, or too often in a row."""

from __future__ import annotations

from dataclasses import dataclass

from rag_pipeline.errors import ProviderError


@dataclass(slots=True)
class CircuitBreaker:
    """Counts failed calls in a row, up to `limit`.

    `message`: what the error says then before the last failure, with `{count}`; empty to raise that failure itself.
    """

    limit: int
    message: str = ""
    failures: int = 0

    def record(self, failure: ProviderError | None) -> None:
        """Count an outcome, None for a success. Raises ProviderError for a permanent failure and for the last one."""
        self.failures = self.failures + 1 if failure else 0
        if failure is None:
            return
        if failure.permanent or (self.failures >= self.limit and not self.message):
            raise failure
        if self.failures >= self.limit:
            raise ProviderError(f"{self.message.format(count=self.failures)} {failure}")
