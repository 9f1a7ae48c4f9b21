"""Work with a provider ends at a permanent failure, or when it fails too often in a row."""

from __future__ import annotations

import pytest

from rag_pipeline.errors import ProviderError
from rag_pipeline.llm.circuit_breaker import CircuitBreaker

BUSY = ProviderError("It is busy.")


def test_a_success_starts_the_count_anew():
    breaker = CircuitBreaker(limit=2)
    for outcome in (BUSY, None, BUSY, None):
        breaker.record(outcome)
    breaker.record(BUSY)
    with pytest.raises(ProviderError, match="It is busy"):
        breaker.record(BUSY)


def test_a_permanent_failure_ends_it_at_once():
    with pytest.raises(ProviderError, match="Wrong key"):
        CircuitBreaker(limit=20, message="It failed {count} times.").record(ProviderError("Wrong key.", permanent=True))


def test_the_message_says_how_often_it_failed():
    breaker = CircuitBreaker(limit=2, message="It failed {count} times in a row.")
    breaker.record(BUSY)
    with pytest.raises(ProviderError, match=r"^It failed 2 times in a row\. It is busy\.$"):
        breaker.record(BUSY)
