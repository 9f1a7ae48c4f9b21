"""Model-based: whether the first contexts would have led to the question."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pydantic import Field

from evaluation.metrics.base import metrics
from evaluation.metrics.perplexity_based import QuestionRelevance, RelevanceOptions
from evaluation.metrics.worked import WorkedExample


class RelevanceAtKOptions(RelevanceOptions):
    """Over how many contexts."""

    k: int = Field(3, ge=1, le=100, title="k", description="Contexts, by rank, that count: usually 1, 3 or 5.")


@metrics.register
class ContextRelevancePerplexityAtK(QuestionRelevance):
    """Mean likelihood of the question under the first k contexts; over all where fewer were retrieved."""

    key = "context_relevance_perplexity_at_k"
    label = "Context relevance (perplexity) at k"
    help = "How likely a small language model finds the question after each of the first k contexts, on average."
    formula = "mean over the first k contexts of what context_relevance_perplexity takes the maximum of"
    worked = WorkedExample(
        0.04,
        "With a model under which the tokens of the question have a geometric mean of 0.06 after the first context and "
        "of 0.02 after the second: (0.06 + 0.02) / 2 = 0.04.",
        question="who are we?",
        contexts=("we are the world", "the Rosetta Stone"),
        options={"k": 3},
        executed=False,
    )
    Options = RelevanceAtKOptions
    options: RelevanceAtKOptions

    def considered(self) -> int | None:
        """Return k."""
        return self.options.k

    def reduce(self, values: Sequence[float]) -> float:
        """Return the mean."""
        return math.fsum(values) / len(values)
