"""Retrieval by spans: how much of the retrieved text is evidence."""

from __future__ import annotations

from typing import ClassVar

from evaluation.metrics.base import Metric, MetricContext, metrics
from evaluation.metrics.spans import characters_in, context_pieces, gold_in_contexts
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score


@metrics.register
class SpanPrecision(Metric):
    """Share of the contexts' characters that are evidence, each character once, white space not counted."""

    key = "span_precision"
    label = "Span precision"
    help = "Share of the retrieved text that is evidence: low where chunks are larger than they need to be."
    group = "retrieval"
    kinds: ClassVar[frozenset[str]] = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"evidence", "contexts"})
    reads_answer: ClassVar[bool] = False
    formula = "evidence characters in the contexts / characters of the contexts, over the union of each"
    source = "Smith and Troynikov 2024 (Chroma), with repeats and without white space"
    cannot_see = "the same fact in other words elsewhere; what is needed to understand the evidence"
    worked = WorkedExample(
        0.667,
        "The context “Ada was born in London” has 18 characters without spaces; 12 of them are evidence.",
        document="Ada was born in London in 1815.",
        context_spans=((0, 22),),
        evidence_spans=((8, 30),),
    )

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the share; nothing retrieved is 0."""
        pieces = context_pieces(sample)
        given = characters_in(pieces)
        if not given:
            return Score(0.0, "nothing was retrieved")
        gold = gold_in_contexts(sample)
        return Score(gold / given, f"{gold:,} of {given:,} characters of the contexts are evidence")
