"""How much of a text another one has, unit by unit, whole texts compared: each text is read once."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from evaluation.metrics.support.context_index import RELATED, by_beginning, related
from evaluation.metrics.support.support import statements
from evaluation.metrics.support.units import NAME, SMALL, WORD, SupportUnit, analyse_sentences
from evaluation.metrics.support.weighting import SCHEME

_SCHEME = replace(SCHEME, small=0.05, asked=0.02, name=1.0, number=1.0)
"""What the question says already is nearly no part of its answer, function words count next to nothing, and a name or
number that is left out is one thing left out: only where evidence is checked does it show what was invented."""
_ITEM = re.compile(r"(?<!\S)\(?(\d{1,2})[.)]\s")
"""What may number an item of a list."""
_TEXTS = 2048
"""Texts that are kept: more than a block of rows has of answers and references."""
_DIGITS = 12
"""Beyond them a share that is 0 is not 0, as weights are added in another order."""


@dataclass(frozen=True, eq=False)
class _ReadText:
    """What a text states, each unit once by its key, with its weight; and all that it has, in one word or in two."""

    units: dict[str, SupportUnit]
    weights: dict[str, float]
    keys: frozenset[str]
    in_two: dict[str, tuple[str, str]]
    """The neighbours that may be written as one word, by that word: south east, southeast."""

    @cached_property
    def total(self) -> float:
        return sum(self.weights.values())

    @cached_property
    def beginnings(self) -> dict[str, list[str]]:
        return by_beginning(self.keys - self.in_two.keys())


@dataclass(frozen=True, slots=True)
class SharedUnits:
    """`share`: how much of a text another has, by weight; `found`: what that is; `missing`: what it has not.

    Function words are in neither, words of the question are not missed.
    """

    share: float
    found: tuple[SupportUnit, ...]
    missing: tuple[SupportUnit, ...]


def shared_units(text: str, other: str, question: str) -> SharedUnits | None:
    """Return how much of what `text` states `other` has; None where nothing is stated.

    A unit that is there counts 1, as one word or as two, a word with a long common beginning 0.8; the units of the
    question count 0.02 of their weight.
    """
    mine, theirs = _read(text), _read(other)
    if not mine.units:
        return None
    asked = mine.weights.keys() & _read(question).keys
    total = mine.total - (1 - _SCHEME.asked) * sum(mine.weights[key] for key in asked)
    split, lost, missing, absent = _in_one_word(mine, theirs), 0.0, [], set()
    for key in [key for key in mine.weights if key not in theirs.keys and key not in split]:
        unit, weight = mine.units[key], mine.weights[key] * (_SCHEME.asked if key in asked else 1.0)
        if unit.kind in (WORD, NAME) and related(key, theirs.beginnings):
            weight *= 1 - RELATED
        else:
            absent.add(key)
            missing += [unit] if unit.kind != SMALL and key not in asked else []
        lost += weight
    found = (unit for key, unit in mine.units.items() if key not in absent and unit.kind != SMALL)
    return SharedUnits(max(0.0, round(1 - lost / total, _DIGITS)), tuple(found), tuple(missing))


def _in_one_word(mine: _ReadText, theirs: _ReadText) -> Set[str]:
    """Return the keys that the other text has as a part of one word."""
    return {key for word in mine.in_two.keys() & theirs.keys for key in mine.in_two[word]}


@lru_cache(maxsize=_TEXTS)
def _read(text: str) -> _ReadText:
    units: dict[str, SupportUnit] = {}
    numbering = _numbering(text)
    for sentence in statements(text):
        for unit in sentence.units:
            if sentence.start + unit.start not in numbering:
                units.setdefault(unit.key, unit)
    everything = [sentence.said for sentence in analyse_sentences(text)]
    in_two = {word: parts for said in everything for word, parts in said.in_two.items()}
    keys = frozenset(in_two).union(*(said.keys for said in everything))
    return _ReadText(units, {key: _SCHEME.weight(unit) for key, unit in units.items()}, keys, in_two)


def _numbering(text: str) -> Set[int]:
    """Return where the numbers of a list's items stand, which state nothing: 1. 2. 3. in this order."""
    found = [item.start(1) for rank, item in enumerate(_ITEM.finditer(text), 1) if int(item[1]) == rank]
    return frozenset(found if len(found) > 1 else ())
