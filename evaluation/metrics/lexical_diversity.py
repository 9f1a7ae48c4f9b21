"""Linguistic: how varied the words of an answer are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from evaluation.metrics.base import Metric, MetricContext, metrics
from evaluation.metrics.language.scripts import why_not_spaced
from evaluation.metrics.language.words import running_words
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.registry import UnitOptions


class LexicalDiversityOptions(UnitOptions):
    """Over what it is taken."""

    window: int = Field(
        0,
        ge=0,
        le=1000,
        title="Window",
        description="Mean over all runs of so many words (MATTR), so that answers of different length compare; 0 = the "
        "whole answer. A shorter answer is taken whole.",
    )


@metrics.register
class LexicalDiversity(Metric):
    """Distinct words over all words of the answer, in lower case (type-token ratio).

    The plain ratio falls with length, as words come back: compare only answers of like length, or set a window.
    """

    key = "lexical_diversity"
    label = "Lexical diversity"
    help = "Share of the answer's words that are different ones. Falls with length unless a window is set."
    group = "linguistic"
    needs: ClassVar[frozenset[str]] = frozenset({"answer"})
    formula = "distinct words / words; with a window, the mean of that over all runs of so many words"
    source = "Type-token ratio (Johnson 1944); window: Covington and McFall 2010 (MATTR)"
    cannot_see = "whether the text makes sense: any words serve, as long as they differ"
    people = "Spearman .218 (.026 to .385) with the rated fluency of ClapNQ's answers: hardly any"
    worked = WorkedExample(
        0.83,
        "6 words, 5 different ones, as “the” stands twice: 5 / 6 = 0.83.",
        question="Where did the cat sit?",
        answer="The cat sat on the mat.",
    )
    Options = LexicalDiversityOptions
    options: LexicalDiversityOptions

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the ratio; null where there are no words between spaces."""
        if reason := why_not_spaced(sample.trace.answer):
            return Score.unscored(reason)
        words = [word.lower().replace("’", "'") for word in running_words(sample.trace.answer)]
        distinct = len(set(words))
        window = self.options.window
        value = moving_ratio(words, window) if 0 < window < len(words) else distinct / len(words)
        over = f", mean over runs of {window}" if 0 < window < len(words) else ""
        reason = f"{distinct} different words of {len(words)}{over}"
        return Score(value, reason, {"words": len(words), "distinct": distinct})


def moving_ratio(words: Sequence[str], window: int) -> float:
    """Return the mean type-token ratio over all runs of `window` words; there are more words than that."""
    counts = Counter(words[:window])
    total = types = len(counts)
    for leaving, entering in zip(words, words[window:], strict=False):
        counts[entering] += 1
        types += counts[entering] == 1
        counts[leaving] -= 1
        types -= counts[leaving] == 0
        total += types
    return total / (window * (len(words) - window + 1))
