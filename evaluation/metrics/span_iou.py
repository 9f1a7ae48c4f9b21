"""Retrieval by spans: evidence and contexts in one figure."""

from __future__ import annotations

from typing import ClassVar

from evaluation.metrics.base import Metric, MetricContext, metrics
from evaluation.metrics.spans import characters_in, context_pieces, evidence_characters, gold_in_contexts
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score


@metrics.register
class SpanIou(Metric):
    """Intersection over union of the characters of evidence and contexts, white space not counted."""

    key = "span_iou"
    label = "Span IoU"
    help = "1 where the contexts are the evidence and nothing else."
    group = "retrieval"
    kinds: ClassVar[frozenset[str]] = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"evidence", "contexts"})
    reads_answer: ClassVar[bool] = False
    formula = "evidence characters in the contexts / (characters of the contexts + evidence characters in none of them)"
    source = "Smith and Troynikov 2024 (Chroma), with repeats and without white space"
    cannot_see = "the same fact in other words elsewhere; whether the evidence suffices"
    worked = WorkedExample(
        0.5,
        "12 characters are evidence and context, 18 are context, 6 more are evidence only: 12 / (18 + 6).",
        document="Ada was born in London in 1815.",
        context_spans=((0, 22),),
        evidence_spans=((8, 30),),
    )

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the ratio; nothing retrieved is 0."""
        pieces = context_pieces(sample)
        given = characters_in(pieces)
        held, whole = evidence_characters(sample)
        every = given + whole - held
        if not every:
            return Score.unscored("evidence and contexts are only white space")
        gold = gold_in_contexts(sample)
        return Score(gold / every, f"{gold:,} of {every:,} characters of evidence and contexts are both")
