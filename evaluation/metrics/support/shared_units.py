"""How much of a text another one has, unit by unit, whole texts compared: each text is read once."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from functools import lru_cache

from evaluation.metrics.support.context_index import RELATED, by_beginning, related
from evaluation.metrics.support.support import statements
from evaluation.metrics.support.units import NAME, SMALL, WORD, SupportUnit, analyse_sentences
from evaluation.metrics.support.weighting import SCHEME

_SCHEME = replace(SCHEME, small=0.05, asked=0.02)
"""What the question says already is nearly no part of its answer, and function words count next to nothing."""
_TEXTS = 2048
"""Texts that are kept: more than a block of rows has of answers and references."""


@dataclass(frozen=True, eq=False)
class _ReadText:
    """The units of what a text states, each once, with their weights; and all that it has, in one word or in two."""

    units: tuple[SupportUnit, ...]
    weights: tuple[float, ...]
    in_two: dict[str, tuple[str, str]]
    """The neighbours that may be written as one word, by that word: south east, southeast."""
    keys: frozenset[str]
    beginnings: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class SharedUnits:
    """`share`: how much of a text another has, by weight; `missing`: what it has not, but for words of the question."""

    share: float
    missing: tuple[SupportUnit, ...]


def shared_units(text: str, other: str, question: str) -> SharedUnits | None:
    """Return how much of what `text` states `other` has; None where nothing is stated.

    A unit that is there counts 1, as one word or as two, a word with a long common beginning 0.8; the units of the
    question count 0.02 of their weight.
    """
    mine, theirs = _read(text), _read(other)
    if not mine.units:
        return None
    asked, split = _read(question).keys, _in_one_word(mine, theirs)
    there = total = 0.0
    missing = []
    for unit, full in zip(mine.units, mine.weights, strict=True):
        weight = _SCHEME.asked * full if unit.key in asked else full
        total += weight
        if unit.key in theirs.keys or unit.key in split:
            there += weight
        elif unit.kind in (WORD, NAME) and related(unit.key, theirs.beginnings):
            there += RELATED * weight
        elif unit.kind != SMALL and unit.key not in asked:
            missing.append(unit)
    return SharedUnits(min(1.0, there / total), tuple(missing))


def _in_one_word(mine: _ReadText, theirs: _ReadText) -> Set[str]:
    """Return the keys that the other text has as a part of one word."""
    return {key for word in mine.in_two.keys() & theirs.keys for key in mine.in_two[word]}


@lru_cache(maxsize=_TEXTS)
def _read(text: str) -> _ReadText:
    first: dict[str, SupportUnit] = {}
    for sentence in statements(text):
        for unit in sentence.units:
            first.setdefault(unit.key, unit)
    everything = [sentence.said for sentence in analyse_sentences(text)]
    in_two = {word: parts for said in everything for word, parts in said.in_two.items()}
    keys = frozenset[str]().union(*(said.keys for said in everything))
    units = tuple(first.values())
    return _ReadText(units, tuple(map(_SCHEME.weight, units)), in_two, keys | in_two.keys(), by_beginning(keys))
