"""Whether two short texts say different things of one matter: another weekday, colour or number, or the opposite."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from evaluation.metrics.support.negation import contradict, denied, denies
from evaluation.metrics.support.units import (
    NUMBER,
    SMALL,
    AnalysedSentence,
    SentenceUnits,
    SupportUnit,
    analyse_sentences,
)
from rag_pipeline.english.siblings import excluded_by, rivals, root

_WORDS = re.compile(r"\w+")
_SAID_ALONE = re.compile(r"\W*(?:yes|no)\s*[,.;:!–-]", re.IGNORECASE)
"""A yes or no that answers: not that of *no sugar*."""
_CURRENCY = re.compile("[$€£¥₹]")
_SAME_MATTER = 0.5
"""Share of a sentence's units that another must have for the two to be about the same."""
_NEARLY = 0.75
"""Share of the longer sentence's units that two must have in common to say nearly the same."""
_TEXTS = 2048
"""Texts of which is kept what was read."""


def opposed(reference: str, answer: str, question: str) -> str:
    """Return in words what of the answer excludes the reference; empty where nothing does.

    That is yes for no, another currency, an antonym or another word of the same kind where the answer lacks a word of
    the reference (of function words, such as *before*, only beside the same word), another number where it lacks a
    number, and a negation in one of two sentences on the same matter. A word that is denied on one side alone excludes
    nothing: *not allowed* is *prohibited*.
    """
    for marks in (_polarity, _currencies):
        mine, theirs = marks(reference), marks(answer)
        if mine and theirs and not mine & theirs:
            return f"{', '.join(sorted(theirs))} for {', '.join(sorted(mine))}"
    other = _replaced(reference, answer, question) or _beside_the_same(reference, answer)
    return other or ("one of the two denies it" if _denied(reference, answer, question) else "")


def opposed_in_place(reference: str, answer: str, question: str) -> str:
    """Return in words what excludes a part of a long reference; empty where nothing does.

    A long answer has other numbers and words of a kind, too. So only these count: words that exclude each other beside
    the same word, and all of `opposed` between two sentences that have nearly the same words.
    """
    found = _beside_the_same(reference, answer)
    alike = ((one.text, other.text) for one, other in _nearly_the_same(reference, answer))
    return found or next((why for one, other in alike if (why := opposed(one, other, question))), "")


def _nearly_the_same(reference: str, answer: str) -> Iterator[tuple[AnalysedSentence, AnalysedSentence]]:
    """Yield the sentences of the reference with those of the answer that have nearly all words in common."""
    theirs, having = analyse_sentences(answer), _places(answer)
    for sentence in analyse_sentences(reference):
        keys = sentence.said.content_keys
        for place, count in Counter(at for key in keys for at in having.get(key, ())).items():
            other = theirs[place]
            if count >= _NEARLY * max(len(keys), len(other.said.content_keys)) and other.text != sentence.text:
                yield sentence, other


def _beside_the_same(reference: str, answer: str) -> str:
    found = next(_turned(reference, answer), None)
    return f"{_written(found[1], answer)} for {_written(found[0], reference)}" if found else ""


def _written(key: str, text: str) -> str:
    """Return a key as it is written in its text."""
    return next(unit.text for sentence in analyse_sentences(text) for unit in sentence.units if unit.key == key)


def _replaced(reference: str, answer: str, question: str) -> str:
    """Return the first word or number of the reference that the answer has another for, and that other one."""
    kept, answered = _keys_of(reference), _keys_of(answer)
    lacking = [(unit, is_denied) for unit, is_denied in _units(reference) if unit.key not in answered]
    if not lacking:
        return ""
    said, asked = _units(answer), _keys_of(question)
    first: dict[tuple[str, bool], int] = {}
    numbers: dict[bool, int] = {}
    for place, (unit, is_denied) in enumerate(said):
        if unit.key not in kept:
            first.setdefault((unit.key, is_denied), place)
            if unit.kind == NUMBER and unit.key not in asked:
                numbers.setdefault(is_denied, place)
    for unit, is_denied in lacking:
        keys = ((key, is_denied) for key in excluded_by(unit.key))
        places = [first[key] for key in keys if key in first]
        if unit.kind == NUMBER and unit.key not in asked and is_denied in numbers:
            places.append(numbers[is_denied])
        if places:
            return f"{said[min(places)][0].text} for {unit.text}"
    return ""


def yes_or_no(reference: str, answer: str, question: str) -> bool | None:
    """Return whether an answer means the *yes* or *no* that is all of the reference; None where that cannot be told.

    An answer without either word means no where its first sentence denies something of the question, else yes.
    """
    wanted = _polarity(reference)
    if not wanted or len(_WORDS.findall(reference)) > 1 or not (sentences := analyse_sentences(answer)):
        return None
    said = _polarity(answer)
    if not said:
        if _keys_of(question).isdisjoint(sentences[0].said.keys):
            return None
        said = frozenset({"no" if any(map(denies, sentences[0].units)) else "yes"})
    return said == wanted


def _polarity(text: str) -> frozenset[str]:
    """Return the yes or no that a text begins with."""
    first = _WORDS.search(text)
    word = first.group().lower() if first else ""
    answers = word in ("yes", "no") and (len(text.split()) == 1 or _SAID_ALONE.match(text))
    return frozenset({word}) if answers else frozenset()


def _currencies(text: str) -> frozenset[str]:
    return frozenset(_CURRENCY.findall(text))


def _turned(reference: str, answer: str) -> Iterator[tuple[str, str]]:
    """Yield the words that exclude each other and stand beside the same word: before 1900, after 1900."""
    mine, theirs = _beside(reference), _beside(answer)
    said = {word for _, word in theirs} | _keys_of(answer)
    lacking = [each for each in mine if each[1] not in said]
    if not lacking:
        return
    kept = {word for _, word in mine} | _keys_of(reference)
    at: dict[tuple[str, int, bool], list[str]] = defaultdict(list)
    for place, other in theirs:
        if other not in kept:
            at[place].append(other)
    for place, word in lacking:
        if place in at:
            excluded = excluded_by(root(word))
            yield from ((word, other) for other in at[place] if root(other) in excluded)


@lru_cache(maxsize=_TEXTS)
def _beside(text: str) -> tuple[tuple[tuple[str, int, bool], str], ...]:
    """Return each word by the key of the word that follows (1) or precedes (-1) it, and by whether it is denied."""
    return tuple(dict.fromkeys(each for sentence in analyse_sentences(text) for each in _beside_in(sentence.said)))


@lru_cache(maxsize=4096)
def _beside_in(said: SentenceUnits) -> tuple[tuple[tuple[str, int, bool], str], ...]:
    negated = denied(said)
    kept = [unit.key for unit in said.units if unit.kind != SMALL or root(unit.key) in rivals()]
    found: list[tuple[tuple[str, int, bool], str]] = []
    for one, other in pairwise(kept):
        found += [((other, 1, one in negated), one), ((one, -1, other in negated), other)]
    return tuple(found)


@lru_cache(maxsize=_TEXTS)
def _units(text: str) -> tuple[tuple[SupportUnit, bool], ...]:
    """Return the units of a text without function words, and whether its sentence denies them."""
    return tuple(
        (unit, unit.key in denied(sentence.said))
        for sentence in analyse_sentences(text)
        for unit in sentence.said.content
    )


@lru_cache(maxsize=_TEXTS)
def _keys_of(text: str) -> frozenset[str]:
    """Return the keys of what a text says, function words left out; of neighbours also in one word."""
    said = [sentence.said for sentence in analyse_sentences(text)]
    return frozenset[str]().union(*(each.content_keys | each.in_two.keys() for each in said))


@lru_cache(maxsize=_TEXTS)
def _has_denial(text: str) -> bool:
    return any(denies(unit) for sentence in analyse_sentences(text) for unit in sentence.units)


def _denied(reference: str, answer: str, question: str) -> bool:
    """True where a sentence of the reference is denied by that of the answer which has most of its units."""
    if not (_has_denial(reference) or _has_denial(answer)):
        return False
    asked = frozenset(key for sentence in analyse_sentences(question) for key in denied(sentence.said))
    theirs, having = analyse_sentences(answer), _places(answer)
    return any(_denied_by(sentence, theirs, having, asked) for sentence in analyse_sentences(reference))


def _places(text: str) -> dict[str, list[int]]:
    """Return the numbers of the sentences that have each key."""
    having: dict[str, list[int]] = defaultdict(list)
    for place, sentence in enumerate(analyse_sentences(text)):
        for key in sentence.said.content_keys:
            having[key].append(place)
    return having


def _denied_by(
    sentence: AnalysedSentence,
    others: tuple[AnalysedSentence, ...],
    having: Mapping[str, Sequence[int]],
    asked: frozenset[str],
) -> bool:
    keys = sentence.said.content_keys
    shared = Counter(place for key in keys for place in having.get(key, ()))
    most = max(shared.values(), default=0)
    if not most or most < _SAME_MATTER * len(keys):
        return False
    return all(contradict(sentence, others[place], asked) for place, count in shared.items() if count == most)
