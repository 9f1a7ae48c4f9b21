"""Usage: what an answer cost."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.measured import Measured
from evaluation.metrics.worked import WorkedExample
from rag_pipeline.types import Trace


@metrics.register
class CostUsd(Measured):
    """List prices of genai-prices for the tokens that the provider counted."""

    key = "cost_usd"
    label = "Cost"
    help = "US dollars for the question's model calls, by the list price of the model; the judge's are not in it."
    formula = "tokens × price a token, in US dollars"
    unit = "USD"
    unknown = "the price of the model, or how many tokens it took, is not known"
    worked = WorkedExample(
        0.0006,
        "500 tokens read at $0.40 a million and 250 written at $1.60 a million: 0.0002 + 0.0004 = 0.0006.",
        usage={"prompt_tokens": 500, "completion_tokens": 250, "cost_usd": 0.0006},
    )

    def measured(self, trace: Trace) -> float | None:
        """Return US dollars."""
        return trace.usage.cost_usd
