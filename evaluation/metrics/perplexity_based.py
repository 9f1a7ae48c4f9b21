"""What the two perplexity metrics share: how well each context would have led to the question."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from evaluation.metrics.model_based import WeightsMetric
from evaluation.metrics.models.question_likelihood import Likelihood, question_model
from evaluation.types import Sample, Score
from rag_pipeline.registry import UnitOptions


class RelevanceOptions(UnitOptions):
    """Which model, and how much it reads."""

    model: str = Field(
        "google/flan-t5-small",
        min_length=1,
        max_length=300,
        title="Question model",
        description="A seq2seq model: a name of the hub, or a folder.",
    )
    window: int = Field(
        512,
        ge=32,
        le=8192,
        title="Window",
        description="Tokens of prompt and context that the model reads; a longer context is cut at its end.",
    )


class QuestionRelevance(WeightsMetric):
    """Base: geometric mean of the question's token probabilities under each of the sample's first contexts."""

    needs: ClassVar[frozenset[str]] = frozenset({"question", "contexts", "weights"})
    reads_answer: ClassVar[bool] = False
    source: ClassVar[str] = (
        "unitxt (Bandel et al. 2024), metrics.rag.context_relevance; P(question | context) as in Sachan et al. 2022"
    )
    cannot_see = "whether a context answers the question: one on the same matter scores much the same"
    Options = RelevanceOptions
    options: RelevanceOptions

    def considered(self) -> int | None:
        """Return how many contexts, by rank, are looked at; None for all."""
        return None

    @abstractmethod
    def reduce(self, values: Sequence[float]) -> float:
        """Return one number for the values of the contexts, in order of rank."""

    def texts_read(self, sample: Sample) -> Sequence[str]:
        """Return the question: a context in another script makes it unlikely, as it should."""
        return [sample.trace.question]

    def without_model(self, sample: Sample) -> Score | None:
        """Return 0 for an empty retrieval."""
        empty = not any(each.text.strip() for each in sample.trace.contexts)
        return Score(0.0, "nothing was retrieved") if empty else None

    def score_with_weights(self, samples: Sequence[Sample]) -> list[Score]:
        """Read every distinct (question, context) of the block once."""
        rows = [
            [each.text for each in sample.trace.contexts if each.text.strip()][: self.considered()]
            for sample in samples
        ]
        pairs = [(sample.trace.question, text) for sample, texts in zip(samples, rows, strict=True) for text in texts]
        found = iter(question_model(self.options.model).likelihoods(pairs, self.options.window))
        return [self._score([next(found) for _ in texts]) for texts in rows]

    def _score(self, found: Sequence[Likelihood]) -> Score:
        values = [each.value for each in found if each.value is not None]
        if not values:
            return Score.unscored(found[0].reason)
        if not all(math.isfinite(value) for value in values):
            return Score.unscored("the model gave a probability that is no number: give another")
        by_context = [each.value for each in found]
        best = by_context.index(max(values)) + 1
        reason = f"the question is likeliest ({max(values):.3f}) after context {best} of {len(found)}{_unread(found)}"
        details = {"by_context": by_context, "cut_tokens": [each.cut for each in found]}
        return Score(min(1.0, self.reduce(values)), reason, details)


def _unread(found: Sequence[Likelihood]) -> str:
    """Return what the model did not read, as the end of a reason."""
    cut = [rank for rank, each in enumerate(found, 1) if each.cut]
    unknown = [rank for rank, each in enumerate(found, 1) if each.value is None]
    note = f"; the model read only the first part of {_contexts(cut)}" if cut else ""
    return note + (f"; it does not know the script of {_contexts(unknown)}" if unknown else "")


def _contexts(ranks: Sequence[int]) -> str:
    return f"context{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"
