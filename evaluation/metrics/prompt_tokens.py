"""Usage: how much a model read for an answer."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.measured import Measured
from evaluation.metrics.worked import WorkedExample
from rag_pipeline.types import Trace


@metrics.register
class PromptTokens(Measured):
    """Tokens of all calls for the question, query transforms and reranking by a model included."""

    key = "prompt_tokens"
    label = "Prompt tokens"
    help = "Tokens sent to the model for the question, as its provider counts them."
    formula = "tokens of the prompt"
    unit = "tokens"
    unknown = "the provider did not say how many tokens it read"
    worked = WorkedExample(
        300.0,
        "The provider counted 300 tokens in the prompt: 300.",
        usage={"prompt_tokens": 300, "completion_tokens": 4},
    )

    def measured(self, trace: Trace) -> float | None:
        """Return a count."""
        return trace.usage.prompt_tokens
