"""A worked example: inputs, the value and how one arrives at it by hand. Shown with the metric, run by a test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """One answered question, as in the RAG task format, and what a metric makes of it.

    `value` is None where the example shows when there is no score. `working` is the way to it, in words and numbers.
    `options` are the metric's. `judge`: the judge's replies as (name of the prompt, JSON object), in the order in
    which they are asked for. `usage`: latency_s, ttft_s, prompt_tokens, completion_tokens, cost_usd.
    `context_spans` and `evidence_spans` are character ranges of `document`, for metrics of spans.
    `executed` is False where the weights that it takes are not shipped: the test then leaves the value unchecked.
    """

    value: float | None
    working: str
    question: str = ""
    answer: str = ""
    contexts: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    reference_contexts: tuple[str, ...] = ()
    context_ids: tuple[str, ...] | None = None
    gold_ids: tuple[str, ...] = ()
    document: str = ""
    context_spans: tuple[tuple[int, int], ...] = ()
    evidence_spans: tuple[tuple[int, int], ...] = ()
    kind: str = "simple"
    other_answer: str | None = None
    usage: Mapping[str, float] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    judge: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    executed: bool = True


def claims(*texts: str) -> tuple[str, Mapping[str, Any]]:
    """Return the judge's reply that lists what a text states."""
    return "claims", {"claims": list(texts)}


def verdicts(prompt: str, *found: tuple[str, bool]) -> tuple[str, Mapping[str, Any]]:
    """Return the judge's reply to `check_claims` or `compare_claims`: each claim's reason, and whether it holds."""
    numbered = [{"number": n, "reason": reason, "supported": holds} for n, (reason, holds) in enumerate(found, 1)]
    return prompt, {"verdicts": numbered}
