"""Linguistic: how easily an answer reads, by the formula made for its language."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from pydantic import Field

from evaluation.language import language_of
from evaluation.metrics.base import Metric, MetricContext, metrics
from evaluation.metrics.language.numerals import numeral_syllables
from evaluation.metrics.language.syllables import count_syllables
from evaluation.metrics.language.syllables_by_language import syllables_in
from evaluation.metrics.readability import LONGEST_SENTENCE, Counts, ReadabilityOptions, count
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score


@dataclass(frozen=True, slots=True)
class Ease:
    """A formula: base − sentence · words a sentence − word · syllables a word, and who made it."""

    base: float
    sentence: float
    word: float
    source: str

    def value(self, counts: Counts) -> float:
        """Return the ease."""
        return self.base - self.sentence * counts.sentence_length - self.word * counts.word_length


FORMULAS = {
    "de": Ease(180, 1, 58.5, "Amstad 1978"),
    "en": Ease(206.835, 1.015, 84.6, "Flesch 1948"),
    "es": Ease(206.84, 1.02, 60, "Fernández Huerta 1959"),
    "fr": Ease(207, 1.015, 73.6, "Kandel and Moles 1958"),
    "it": Ease(206, 1, 65, "Franchina and Vacca 1986"),
    "nl": Ease(206.84, 0.93, 77, "Douma 1960"),
    "pt": Ease(248.835, 1.015, 84.6, "Martins et al. 1996"),
    "ru": Ease(206.835, 1.3, 60.1, "Oborneva 2006"),
}
Language = Literal["auto", "de", "en", "es", "fr", "it", "nl", "pt", "ru"]


class ReadingEaseOptions(ReadabilityOptions):
    """In which language answers are read."""

    language: Language = Field(
        "auto", title="Language", description="Of the answers; auto tells it from each answer, if it is long enough."
    )


@metrics.register
class ReadingEase(Metric):
    """Flesch's formula with the weights that were found for German, Spanish, French, Italian, Dutch, Portuguese and
    Russian; 100 is very easy and 0 very hard in each, but values of two languages are not the same measure.
    """

    key = "reading_ease"
    label = "Reading ease, by language"
    help = "How easily an answer reads, by the formula made for its language: eight languages, 60 is plain."
    group = "linguistic"
    needs = frozenset({"answer"})
    low = -math.inf
    high = max(each.base - each.sentence - each.word for each in FORMULAS.values())
    formula = "base − a · words / sentences − b · syllables / words: " + "; ".join(
        f"{language} {each.base:g}, {each.sentence:g}, {each.word:g}" for language, each in FORMULAS.items()
    )
    source = ", ".join(each.source for each in FORMULAS.values()) + "; syllables by hyphenation patterns (pyphen)"
    cannot_see = "whether the text makes sense: it counts syllables, words and sentences"
    people = "Spearman −.110 (−.273 to .046) with the rated fluency of ClapNQ's answers: none to speak of"
    worked = WorkedExample(
        96.0,
        "German: 1 sentence, 6 words, 8 syllables (Kat-ze, Mat-te): 180 − 6 − 58.5 · 8 / 6 = 96.",
        question="Wo sitzt die Katze?",
        answer="Die Katze sitzt auf der Matte.",
        options={"language": "de"},
    )
    Options = ReadingEaseOptions
    options: ReadingEaseOptions

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the ease, null for what is no running text of a language with a formula."""
        text = sample.trace.answer
        if not any(character.isalpha() for character in text):
            return Score.unscored("the answer has no words")
        language = language_of(text) if self.options.language == "auto" else self.options.language
        if language not in FORMULAS:
            reason = f"is in “{language}”" if language else "is too short to tell its language: set the option language"
            return Score.unscored(f"the answer {reason}; there are formulas for {', '.join(FORMULAS)}")
        counts = count(text, _syllables(language))
        if counts.words < self.options.min_words:
            return Score.unscored(f"the answer has fewer than {self.options.min_words} words")
        if counts.sentence_length > LONGEST_SENTENCE:
            return Score.unscored(
                f"the answer is no running text: {counts.sentence_length:.0f} words a sentence, as far as one ends"
            )
        reason = f"{language}: {counts.sentence_length:.1f} words a sentence, {counts.word_length:.2f} syllables a word"
        details = {"sentences": counts.sentences, "words": counts.words, "syllables": counts.syllables}
        return Score(FORMULAS[language].value(counts), reason, details | {"language": language})


def _syllables(language: str) -> Callable[[str], int]:
    """Return how the syllables of a word are counted; a number is taken as it is read in English."""
    of_letters = count_syllables if language == "en" else partial(syllables_in, language=language)
    return lambda word: numeral_syllables(word) if word[0].isdecimal() else of_letters(word)
