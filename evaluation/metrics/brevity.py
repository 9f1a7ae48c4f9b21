"""Headline score: no longer than the shortest right answer."""

from __future__ import annotations

from typing import ClassVar

from evaluation.metrics.base import REFUSALS_IN_LANGUAGES, Metric, MetricContext, metrics
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.english.tokens import count_words


@metrics.register
class Brevity(Metric):
    """Words of the reference over words of the answer, at most 1.

    The shortest reference counts: it is right, and nothing in it is needless.
    """

    key = "brevity"
    label = "Brevity"
    help = "1 for an answer no longer than its shortest reference, 0.5 for one twice as long."
    group = "headline"
    kinds = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"answer", "reference"})
    revision = 2
    changes = (
        "the shortest reference counts, it was the longest: a generated one was the whole sentence of evidence; "
        + REFUSALS_IN_LANGUAGES
    )
    formula = "min(1, words of the shortest reference / words of the answer)"
    source = "As the brevity penalty of BLEU, the other way round (Papineni et al. 2002)"
    cannot_see = "whether the answer is right; needless words in one no longer than the reference"
    people = "AUROC .525 (.384 to .655) on 96 answers of instruct-qa, right or wrong"
    worked = WorkedExample(0.25, "1 word where the answer has 4: 1/4.", answer="It was in 1815.", references=("1815",))

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the ratio; null for a refusal, whose length says nothing."""
        if context.refusals[0].refused:
            return Score.unscored("the answer declines")
        answer = count_words(sample.trace.answer)
        reference = min(count_words(text) for text in sample.reference_answers if text.strip())
        reason = f"{answer} {'word' if answer == 1 else 'words'}; the shortest reference has {reference}"
        return Score(min(1.0, reference / answer), reason, {"words": answer, "reference_words": reference})
