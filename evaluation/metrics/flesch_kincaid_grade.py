"""Linguistic: how many years of school an English answer takes to read."""

from __future__ import annotations

import math

from evaluation.metrics.base import metrics
from evaluation.metrics.readability import Counts, Readability
from evaluation.metrics.worked import WorkedExample

_LOWEST = 0.39 + 11.8 - 15.59


@metrics.register
class FleschKincaidGrade(Readability):
    """The school year of the United States in which an answer is read with ease; lower is easier."""

    key = "flesch_kincaid_grade"
    label = "Flesch–Kincaid grade"
    help = "The school year (USA) in which an English answer is read with ease: 8 is plain English."
    low = _LOWEST
    high = math.inf
    higher_is_better = False
    formula = "0.39 · words / sentences + 11.8 · syllables / words − 15.59"
    source = "Kincaid et al. 1975; syllables by the CMU Pronouncing Dictionary, numbers as read aloud"
    people = "Spearman .139 (−.028 to .297) with the rated fluency of ClapNQ's answers: none to speak of"
    worked = WorkedExample(
        -1.45,
        "1 sentence, 6 words, 6 syllables: 0.39 · 6 + 11.8 · 1 − 15.59 = −1.45.",
        question="Where did the cat sit?",
        answer="The cat sat on the mat.",
    )

    def value(self, counts: Counts) -> float:
        """Return the years that the lengths of sentences and words stand for."""
        return 0.39 * counts.sentence_length + 11.8 * counts.word_length - 15.59
