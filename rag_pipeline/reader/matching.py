"""Which of a question's words a sentence holds: the same word, or a relative of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rag_pipeline.embedders.base import Vectors
from rag_pipeline.reader.questions import QuestionReading
from rag_pipeline.reader.tags import Tagged, tag

Embed = Callable[[Sequence[str]], Vectors]
_RELATED = 0.7
"""Likeness of two words with a long common beginning (construct, construction)."""


@dataclass(frozen=True, slots=True)
class Match:
    """Where a sentence holds the question's words: `places` by word place, `found` by stem, both with their weight."""

    places: dict[int, float]
    found: dict[str, float]
    support: float


@lru_cache(maxsize=20_000)
def tagged(text: str) -> Tagged:
    """Return the tagged words of a sentence; kept, since chunks overlap and questions share them."""
    return tag(text)


def match(question: QuestionReading, sentence: Tagged) -> Match:
    """Return which of the question's words the sentence holds; `support`: their share by weight."""
    places: dict[int, float] = {}
    found: dict[str, float] = {}
    likeness = _likeness(question, sentence)
    for row, (stem, weight) in enumerate(question.weights.items()):
        for place in np.flatnonzero(likeness[row]):
            value = weight * float(likeness[row, place])
            places[int(place)] = max(places.get(int(place), 0.0), value)
            found[stem] = max(found.get(stem, 0.0), value)
    total = sum(question.weights.values())
    return Match(places, found, sum(found.values()) / total if total else 0.0)


def _likeness(question: QuestionReading, sentence: Tagged) -> Vectors:
    """Return 0..1 for each word of the question (row) and of the sentence (column)."""
    likeness = np.zeros((len(question.weights), len(sentence.words)), np.float32)
    for row, stem in enumerate(question.weights):
        for place, word in enumerate(sentence.words):
            if stem == word.stem:
                likeness[row, place] = 1.0
            elif stem[:4] == word.stem[:4] and _related(stem, word.stem):
                likeness[row, place] = max(_RELATED, likeness[row, place])
    return likeness


def _related(one: str, other: str) -> bool:
    """True when the common beginning is at least five letters and most of the longer stem."""
    shorter = min(len(one), len(other))
    common = next((place for place in range(shorter) if one[place] != other[place]), shorter)
    return common >= 5 and common >= 0.6 * max(len(one), len(other))
