"""Sentences of an answer or a context, and the units in them that need support: numbers, names, words, speakers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from rag_pipeline.english.lemmas import dictionary_form
from rag_pipeline.english.numbers import numbers_in
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.english.tokens import UNSPACED_RUN
from rag_pipeline.english.words import rarity, stem, word_list

if TYPE_CHECKING:
    from spacy.tokens import Doc

NUMBER, NAME, WORD, SMALL, SPEAKER, PAIR = "number", "name", "word", "small", "speaker", "pair"

_MARKS = "\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0900-\u0963"
"""Accents and vowel signs that \\w leaves out."""
_LETTERS = rf"[^\W\d_](?:[^\W\d_]|[{_MARKS}])*"
_WORD = re.compile(
    rf"{_LETTERS}(?:['’]{_LETTERS})*(?:\s['’]\s?(?:s|t|m|re|ve|ll|d)\b|\sn['’]t\b)?|\w*\d\w*", re.IGNORECASE
)
"""A word; in tokenised text with what was cut off: do n't, don ' t, Curie 's."""
_POSSESSIVE = re.compile(r"\s?['’]\s?s$", re.IGNORECASE)
_ACCENTS = re.compile(f"[{_MARKS}]")
_TOKENISED_STOP = re.compile(r"(?<=\s)[.!?;](?=\s)")
_SPEAKERS = frozenset(["i", "me", "my", "mine", "myself", "i'm", "i've", "i'd", "i'll"])
_PIECES = frozenset(["s", "t", "m", "re", "ve", "ll", "d", "nt", "n't"])
"""What tokenising leaves of ’s, n’t and the like."""
_RARE = 0.999
"""Rarity of a word outside the 12,000 most frequent ones."""


@dataclass(frozen=True, slots=True)
class SupportUnit:
    """What needs support, at `start`..`end` of its sentence. Two units agree where `key` is the same."""

    start: int
    end: int
    text: str
    key: str
    kind: str
    rarity: float


@dataclass(frozen=True, eq=False)
class SentenceUnits:
    """A sentence's text with its units in order, wherever it stands; what is asked of it again and again is kept."""

    text: str
    units: tuple[SupportUnit, ...]

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of all units."""
        return frozenset(unit.key for unit in self.units)

    @cached_property
    def content(self) -> tuple[SupportUnit, ...]:
        """The units without function words."""
        return tuple(unit for unit in self.units if unit.kind != SMALL)

    @cached_property
    def content_keys(self) -> frozenset[str]:
        """The keys of what it says, function words left out."""
        return frozenset(unit.key for unit in self.content)

    @cached_property
    def in_two(self) -> dict[str, tuple[str, str]]:
        """What neighbours would be in one word, with their keys: south east is southeast."""
        pairs = pairwise(unit.key for unit in self.content if unit.kind in (WORD, NAME))
        return {one + other: (one, other) for one, other in pairs}

    @cached_property
    def plain_words(self) -> tuple[str, ...]:
        """Its plain words, in order."""
        return tuple(plain(unit.text) for unit in self.units if unit.kind == WORD)


@dataclass(frozen=True, slots=True)
class AnalysedSentence:
    """A sentence at `start`..`end` of its text."""

    start: int
    end: int
    said: SentenceUnits

    @property
    def text(self) -> str:
        """What is written there."""
        return self.said.text

    @property
    def units(self) -> tuple[SupportUnit, ...]:
        """The units in order."""
        return self.said.units


@lru_cache(maxsize=1024)
def analyse_sentences(text: str) -> tuple[AnalysedSentence, ...]:
    """Return the sentences of a text that have a unit. Tokenised text ( . between blanks) is cut too."""
    found = (_sentence(text, start, end) for start, end in _ranges(text))
    return tuple(sentence for sentence in found if sentence.units)


def _ranges(text: str) -> Iterator[tuple[int, int]]:
    for sentence in split_sentences(text):
        left = sentence.start
        for stop in _TOKENISED_STOP.finditer(text, sentence.start, sentence.end):
            if stop.end() < sentence.end:
                yield left, stop.end()
                left = stop.end()
        yield left, sentence.end


def _sentence(text: str, start: int, end: int) -> AnalysedSentence:
    while start < end and text[start].isspace():
        start += 1
    return AnalysedSentence(start, end, _units_of(text[start:end]))


@lru_cache(maxsize=4096)
def _units_of(said: str) -> SentenceUnits:
    """Return a sentence's units; the same sentences stand in many answers and contexts."""
    return SentenceUnits(said, tuple(sorted(_units(said), key=lambda unit: unit.start)))


def _units(said: str) -> Iterator[SupportUnit]:
    taken: set[int] = set()
    for number in numbers_in(said):
        yield SupportUnit(number.start, number.end, said[number.start : number.end], number.value, NUMBER, 1.0)
        taken.update(range(number.start, number.end))
    for run in () if said.isascii() else UNSPACED_RUN.finditer(said):
        yield from _pairs(run)
        taken.update(range(*run.span()))
    matches = [match for match in _WORD.finditer(said) if match.start() not in taken]
    shouting = len(matches) > 3 and sum(match.group()[0].isupper() for match in matches) > 0.7 * len(matches)
    for place, match in enumerate(matches):
        word, here = _POSSESSIVE.sub("", match.group()), match.start()
        kind = _kind_of(word, capital=place > 0 and word[0].isupper() and not shouting)
        yield SupportUnit(here, here + len(word), word, *kind)


def _pairs(run: re.Match[str]) -> Iterator[SupportUnit]:
    said = run.group()
    for at in range(max(1, len(said) - 1)):
        here = run.start() + at
        pair = said[at : at + 2]
        yield SupportUnit(here, here + len(pair), pair, pair, PAIR, 1.0)


@lru_cache(maxsize=50_000)
def _kind_of(word: str, *, capital: bool) -> tuple[str, str, float]:
    """Return key, kind and rarity of a word; `capital`: it has one that no sentence begins with."""
    lower = plain(word)
    if lower in _SPEAKERS:
        return lower, SPEAKER, 0.5
    if lower in _PIECES or (lower in word_list("stop_words") and not (word.isupper() and capital and len(word) > 1)):
        return lower, SMALL, 0.0
    rare = rarity(lower)
    if any(character.isdigit() for character in lower):
        return lower, NUMBER, 1.0
    if capital or min(rare, rarity(dictionary_form(lower))) >= _RARE:
        return stem(dictionary_form(lower)), NAME, max(rare, 0.8)
    return stem(dictionary_form(lower)), WORD, rare


@lru_cache(maxsize=50_000)
def plain(word: str) -> str:
    """Return a word in lower case, without accents and the blanks of tokenising."""
    letters = _ACCENTS.sub("", unicodedata.normalize("NFKD", word.lower())).replace("’", "'")
    return "".join(letters.split())


def units_by_token(sentence: AnalysedSentence, tree: Doc) -> dict[int, SupportUnit]:
    """Return the unit that each token of a sentence's tree is a part of, by the number of the token."""
    found: dict[int, SupportUnit] = {}
    for unit in sentence.units:
        found |= dict.fromkeys(range(unit.start, unit.end), unit)
    return {token.i: found[token.idx] for token in tree if token.idx in found}
