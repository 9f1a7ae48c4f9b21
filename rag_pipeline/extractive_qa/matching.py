"""Which of a question's words a sentence holds: the same word, or a relative of it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from rag_pipeline.english.tags import TaggedSentence, tag
from rag_pipeline.english.words import share_beginning
from rag_pipeline.extractive_qa.question_analysis import QuestionAnalysis

_RELATED = 0.7
"""Likeness of two words with a long common beginning (construct, construction)."""


@dataclass(frozen=True, slots=True)
class Match:
    """Which of the question's words a sentence holds: `found`, weights by stem; `support`: their share by weight."""

    found: dict[str, float]
    support: float


@lru_cache(maxsize=20_000)
def tagged(text: str) -> TaggedSentence:
    """Return the tagged words of a sentence; kept, since chunks overlap and questions share them."""
    return tag(text)


def match(question: QuestionAnalysis, sentence: TaggedSentence) -> Match:
    """Return which of the question's words the sentence holds; a related word counts less than the same."""
    stems = {word.stem for word in sentence.words}
    likeness = {stem: _likeness(stem, stems) for stem in question.weights}
    found = {stem: weight * likeness[stem] for stem, weight in question.weights.items() if likeness[stem]}
    total = sum(question.weights.values())
    return Match(found, sum(found.values()) / total if total else 0.0)


def _likeness(stem: str, stems: AbstractSet[str]) -> float:
    """Return how like the nearest of `stems` is, 0 to 1."""
    if stem in stems:
        return 1.0
    return _RELATED if any(stem[:4] == other[:4] and share_beginning(stem, other) for other in stems) else 0.0
