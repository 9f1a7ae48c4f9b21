"""Lexical: how much of the answer's words stand in the contexts."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from evaluation.metrics.base import Metric, MetricContext, metrics
from evaluation.metrics.overlap import UNTELLABLE, share, tokens_of, untellable
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.registry import UnitOptions


class KPrecisionOptions(UnitOptions):
    """Against which contexts."""

    best_context: bool = Field(
        False, title="Best context", description="Against the best single context, not all of them together."
    )


@metrics.register
class KPrecision(Metric):
    """Share of the answer's tokens that the contexts have; null for an answer without tokens."""

    key = "k_precision"
    label = "K-precision"
    known_as = {
        "unitxt": (
            "metrics.rag.faithfulness",
            "metrics.rag.faithfulness.k_precision",
            "metrics.rag.faithfulness.token_k_precision",
            "metrics.rag.answer_faithfulness",
            "metrics.rag.k_precision",
            "metrics.rag.response_generation.faithfullness.token_overlap",
        )
    }
    unitxt_options = {"best_context": True}
    help = "Share of the answer's words that stand in the contexts: low where the answer adds words of its own."
    group = "groundedness"
    needs: ClassVar[frozenset[str]] = frozenset({"answer", "contexts"})
    formula = "tokens common to answer and contexts / tokens of the answer, as multisets"
    source = "Adlakha et al. 2024; option best_context as in unitxt"
    people = "AUROC .928 (.873 to .973) on ClapNQ, .944 (.924 to .964) on BEGIN"
    cannot_see = "who did what, negations, which number goes with what: words of the contexts count wherever they stand"
    worked = WorkedExample(
        0.8,
        "4 of the 5 tokens of the answer are in the context; “Paris” is not: 4/5.",
        answer="Ada was born in Paris.",
        contexts=("Ada Lovelace was born in London in 1815.",),
    )
    Options = KPrecisionOptions
    options: KPrecisionOptions

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the share, with the words that no context has."""
        answer = tokens_of([sample.trace.answer])
        if not answer:
            return Score.unscored("the answer has no word to compare")
        texts = [each.text for each in sample.trace.contexts]
        groups = [[text] for text in texts] if self.options.best_context else [texts]
        known = max((tokens_of(group) for group in groups), key=lambda each: share(each, answer), default=tokens_of([]))
        found = (known & answer).total()
        if untellable(answer, known):
            return Score.unscored(UNTELLABLE)
        reason = f"{found} of {answer.total()} words of the answer are in the contexts"
        return Score(found / answer.total(), reason, {"missing": sorted((answer - known).elements())})
