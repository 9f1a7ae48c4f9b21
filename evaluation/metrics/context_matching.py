"""Headline score: how much of the evidence the model was shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from evaluation.metrics.base import Metric, MetricContext, metrics
from evaluation.metrics.spans import evidence_characters
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.types import Span

Position = tuple[int, int]
"""Document id and character offset."""


@metrics.register
class ContextMatching(Metric):
    """Share of the evidence's characters that the contexts given to the model cover, white space not counted.

    All evidence spans of a question are one set of characters: what lies in two spans counts once. A character is
    covered too where a context covers its copy in a verbatim repeat of the evidence elsewhere in the corpus.
    """

    key = "context_matching"
    label = "Context matching"
    help = "Share of the evidence's characters that the contexts hold, whatever the chunk size."
    group = "headline"
    kinds = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"evidence", "contexts"})
    reads_answer: ClassVar[bool] = False
    formula = "evidence characters covered by contexts / evidence characters, over the union of the evidence spans"
    source = "Span recall of Smith and Troynikov 2024 (Chroma), with repeats"
    cannot_see = "the same fact in other words elsewhere; whether the evidence suffices"
    worked = WorkedExample(
        0.667,
        "The evidence has 18 characters without spaces; 12 of them, “born in London”, are in the context: 12/18.",
        document="Ada was born in London in 1815.",
        context_spans=((0, 22),),
        evidence_spans=((8, 30),),
    )

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return covered over all characters; an empty retrieval is 0."""
        covered, whole = evidence_characters(sample)
        if not whole:
            return Score.unscored("the evidence is only white space")
        reason = f"{covered:,} of {whole:,} characters of the evidence are in the contexts"
        return Score(covered / whole, reason, {"covered": covered, "characters": whole})


def evidence_positions(sample: Sample) -> set[Position]:
    """Return the characters of all evidence that are not white space."""
    return {
        (span.document_id, span.start + offset)
        for span, text in zip(sample.evidence, sample.evidence_texts, strict=True)
        for offset, character in enumerate(text)
        if not character.isspace()
    }


def covered_positions(sample: Sample, wanted: set[Position]) -> set[Position]:
    """Return which of the `wanted` evidence characters the contexts hold, themselves or in a verbatim repeat."""
    contexts = [context.span for context in sample.trace.contexts]
    return covered_by(contexts, sample.evidence_copies) & wanted


def covered_by(spans: Sequence[Span], evidence_copies: Sequence[Sequence[Span]]) -> set[Position]:
    """Return the evidence characters, white space too, that `spans` hold, themselves or in a verbatim repeat.

    `evidence_copies`: each span of the evidence, followed by its repeats.
    """
    return {
        (copies[0].document_id, copies[0].start + offset)
        for copies in evidence_copies
        for offset in _covered_offsets(copies, spans)
    }


def _covered_offsets(copies: Sequence[Span], contexts: Sequence[Span]) -> Iterator[int]:
    for copy in copies:
        for context in contexts:
            if context.document_id == copy.document_id:
                first, last = max(copy.start, context.start), min(copy.end, context.end)
                yield from range(first - copy.start, last - copy.start)
