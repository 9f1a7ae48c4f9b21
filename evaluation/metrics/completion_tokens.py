"""Usage: how much a model wrote for an answer."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.measured import Measured
from evaluation.metrics.worked import WorkedExample
from rag_pipeline.types import Trace


@metrics.register
class CompletionTokens(Measured):
    """Tokens of all calls for the question, hidden reasoning included where the provider counts it."""

    key = "completion_tokens"
    label = "Completion tokens"
    help = "Tokens that the model wrote for the question, as its provider counts them."
    formula = "tokens of the completion"
    unit = "tokens"
    unknown = "the provider did not say how many tokens it wrote"
    worked = WorkedExample(
        4.0,
        "The provider counted 4 tokens in the answer: 4.",
        usage={"prompt_tokens": 300, "completion_tokens": 4},
    )

    def measured(self, trace: Trace) -> float | None:
        """Return a count."""
        return trace.usage.completion_tokens
