"""Linguistic: how easily an English answer reads."""

from __future__ import annotations

import math

from evaluation.metrics.base import metrics
from evaluation.metrics.readability import Counts, Readability
from evaluation.metrics.worked import WorkedExample

_EASIEST = 206.835 - 1.015 - 84.6


@metrics.register
class FleschReadingEase(Readability):
    """Short sentences of short words read easily; 60 to 70 is plain English, below 30 very hard.

    The scale has no lower end; its upper one are sentences of one word of one syllable.
    """

    key = "flesch_reading_ease"
    label = "Flesch reading ease"
    help = "How easily an English answer reads: 90 a child's book, 65 plain English, below 30 a law."
    low = -math.inf
    high = _EASIEST
    formula = "206.835 − 1.015 · words / sentences − 84.6 · syllables / words"
    source = "Flesch 1948; syllables by the CMU Pronouncing Dictionary, numbers as read aloud"
    people = "Spearman −.111 (−.273 to .046) with the rated fluency of ClapNQ's answers: none to speak of"
    worked = WorkedExample(
        116.15,
        "1 sentence, 6 words, 6 syllables: 206.835 − 1.015 · 6 − 84.6 · 1 = 116.145.",
        question="Where did the cat sit?",
        answer="The cat sat on the mat.",
    )

    def value(self, counts: Counts) -> float:
        """Return 206.835 less the lengths of sentences and words."""
        return 206.835 - 1.015 * counts.sentence_length - 84.6 * counts.word_length
