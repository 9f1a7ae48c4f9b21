"""Model-based: whether one of the contexts would have led to the question."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.base import metrics
from evaluation.metrics.perplexity_based import QuestionRelevance
from evaluation.metrics.worked import WorkedExample


@metrics.register
class ContextRelevancePerplexity(QuestionRelevance):
    """Likelihood of the question under the context that fits it best; 0 where nothing was retrieved.

    The inverse of a perplexity: 1 would be a question that the model writes without doubt. Values of one model compare
    with each other, not with those of another. The end mark of the question counts as a token.
    """

    key = "context_relevance_perplexity"
    label = "Context relevance (perplexity)"
    known_as = {
        "unitxt": (
            "metrics.rag.context_relevance",
            "metrics.rag.context_relevance.perplexity_flan_t5_small",
            "metrics.rag.context_perplexity",
        )
    }
    help = "How likely a small language model finds the question after reading the best of the contexts."
    formula = (
        "max over contexts of exp(mean ln p(token of the question | “Generate a question based on the given content:” "
        "context, tokens before))"
    )
    worked = WorkedExample(
        0.06,
        "The tokens of the question and its end mark have certain probabilities after “Generate a question based on "
        "the given content: we are the world”; with google/flan-t5-small their geometric mean is 0.060 (as unitxt has "
        "it). Of tokens with 0.5 and 0.125 it would be √(0.5 · 0.125) = 0.25.",
        question="who are we?",
        contexts=("we are the world",),
        executed=False,
    )

    def reduce(self, values: Sequence[float]) -> float:
        """Return the largest."""
        return max(values)
