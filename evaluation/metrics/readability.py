"""What the Flesch formulas count: sentences, words and syllables of an English text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from evaluation.language import language_of
from evaluation.metrics.base import Metric, MetricContext
from evaluation.metrics.language.numerals import numeral_syllables
from evaluation.metrics.language.scripts import is_latin
from evaluation.metrics.language.syllables import count_syllables
from evaluation.metrics.language.words import running_words
from evaluation.types import Sample, Score
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.registry import UnitOptions

LONGEST_SENTENCE = 100
"""Mean words a sentence above which a text has none: a table, a list without full stops, a run of words."""
_ENGLISH = frozenset({"en", "pcm", "sco", ""})
"""What py3langid takes English for, or cannot tell because the text is short or full of names."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Sentences, words and syllables of a text."""

    sentences: int
    words: int
    syllables: int

    @property
    def sentence_length(self) -> float:
        """Words a sentence."""
        return self.words / self.sentences

    @property
    def word_length(self) -> float:
        """Syllables a word."""
        return self.syllables / self.words


def _in_english(word: str) -> int:
    return numeral_syllables(word) if word[0].isdecimal() else count_syllables(word)


def count(text: str, syllables_of: Callable[[str], int] = _in_english) -> Counts:
    """Return the counts of a text. A number is one word and has the syllables of its reading (Flesch 1948)."""
    sentences = [words for each in split_sentences(text, without_capitals=True) if (words := running_words(each.text))]
    words = [word for each in sentences for word in each]
    return Counts(len(sentences), len(words), sum(map(syllables_of, words)))


def why_not_english(text: str) -> str:
    """Return why formulas made for English say nothing of a text, or an empty string."""
    if not is_latin(text):
        return "the answer is not in Latin script; the formula is made for English"
    language = language_of(text)
    return "" if language in _ENGLISH else f"the answer is in “{language}”; the formula is made for English"


class ReadabilityOptions(UnitOptions):
    """How much text it takes."""

    min_words: int = Field(5, ge=1, le=1000, title="Fewest words", description="Shorter answers are not scored.")


class Readability(Metric):
    """Base of the Flesch formulas."""

    group: ClassVar[str] = "linguistic"
    needs: ClassVar[frozenset[str]] = frozenset({"answer"})
    cannot_see: ClassVar[str] = "whether the text makes sense: it counts syllables, words and sentences"
    Options = ReadabilityOptions
    options: ReadabilityOptions

    def value(self, counts: Counts) -> float:
        """Return what the formula makes of the counts."""
        raise NotImplementedError

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the formula's value, null for what is not running English text."""
        text = sample.trace.answer
        counts = count(text)
        if not any(character.isalpha() for character in text):
            return Score.unscored("the answer has no words")
        if reason := why_not_english(text):
            return Score.unscored(reason)
        if counts.words < self.options.min_words:
            return Score.unscored(f"the answer has fewer than {self.options.min_words} words")
        if counts.sentence_length > LONGEST_SENTENCE:
            return Score.unscored(
                f"the answer is no running text: {counts.sentence_length:.0f} words a sentence, as far as one ends"
            )
        reason = f"{counts.sentence_length:.1f} words a sentence, {counts.word_length:.2f} syllables a word"
        details = {"sentences": counts.sentences, "words": counts.words, "syllables": counts.syllables}
        return Score(self.value(counts), reason, details)
