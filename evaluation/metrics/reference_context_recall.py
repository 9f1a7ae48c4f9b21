"""Lexical: how much of the text that should have been retrieved is in the contexts."""

from __future__ import annotations

from typing import ClassVar

from evaluation.metrics.base import Metric, MetricContext, metrics
from evaluation.metrics.overlap import UNTELLABLE, shared, tokens_of, untellable
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score


@metrics.register
class ReferenceContextRecall(Metric):
    """Share of the reference contexts' tokens that the contexts have: retrieval judged by content, without ids."""

    key = "reference_context_recall"
    label = "Reference context recall"
    help = "Share of the words of the right passages that the contexts hold, whatever their ids."
    group = "retrieval"
    kinds: ClassVar[frozenset[str]] = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"reference_contexts", "contexts"})
    reads_answer: ClassVar[bool] = False
    formula = "tokens common to contexts and reference contexts / tokens of the reference contexts, as multisets"
    source = "Token recall (Rajpurkar et al. 2016) on passages"
    cannot_see = "whether the words stand there in the same sense, or in one sentence"
    worked = WorkedExample(
        0.8,
        "4 of the 5 tokens of the reference context are in the contexts; “London” is not: 4/5.",
        contexts=("Ada was born in 1815.",),
        reference_contexts=("Ada was born in London.",),
    )

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the share."""
        wanted = tokens_of(sample.gold_texts)
        if not wanted:
            return Score.unscored("no reference context has a word to compare")
        given = tokens_of([each.text for each in sample.trace.contexts])
        if untellable(given, wanted):
            return Score.unscored(UNTELLABLE)
        found = shared(given, wanted)
        return Score(found / wanted.total(), f"{found} of {wanted.total()} words of the reference contexts are there")
