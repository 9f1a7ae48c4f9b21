"""Which of a question's words a sentence holds: the same word, a relative of it, or one of like meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rag_pipeline.embedders.base import Vectors
from rag_pipeline.reader.questions import QuestionReading
from rag_pipeline.reader.tags import Tagged, tag
from rag_pipeline.reader.words import Word

Embed = Callable[[Sequence[str]], Vectors]
_ALIKE = 0.55
"""Cosine from which two words count as alike (chosen among 0.45, 0.55, 0.65 on the development questions)."""
_RELATED = 0.7
"""Likeness of two words with a long common beginning (construct, construction)."""
_KEPT = 50_000


@dataclass(frozen=True, slots=True)
class Match:
    """Where a sentence holds the question's words: `places` by word place, `found` by stem, both with their weight."""

    places: dict[int, float]
    found: dict[str, float]
    support: float


class WordVectors:
    """Vectors of single words, embedded in batches and kept for the process."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._vectors: dict[str, Vectors] = {}

    def learn(self, words: Iterable[str]) -> None:
        """Embed the words that are not known yet. Raises ProviderError."""
        new = [word for word in dict.fromkeys(words) if word not in self._vectors]
        if len(self._vectors) + len(new) > _KEPT:
            self._vectors.clear()
        if new:
            self._vectors.update(zip(new, self._embed(new), strict=True))

    def cosines(self, rows: Sequence[str], columns: Sequence[str]) -> Vectors:
        """Return the cosines of words; 0 where one was never learned."""
        cosines = np.zeros((len(rows), len(columns)), np.float32)
        known_rows = [place for place, word in enumerate(rows) if word in self._vectors]
        known_columns = [place for place, word in enumerate(columns) if word in self._vectors]
        if known_rows and known_columns:
            left = np.stack([self._vectors[rows[place]] for place in known_rows])
            right = np.stack([self._vectors[columns[place]] for place in known_columns])
            cosines[np.ix_(known_rows, known_columns)] = left @ right.T
        return cosines


@lru_cache(maxsize=20_000)
def tagged(text: str) -> Tagged:
    """Return the tagged words of a sentence; kept, since chunks overlap and questions share them."""
    return tag(text)


def has_meaning(word: Word) -> bool:
    """True for a word whose vector says something: no stop word, no number, no name."""
    return word.is_content and not word.text[0].isdigit() and not (word.is_capital and word.start > 0)


def match(question: QuestionReading, sentence: Tagged, vectors: WordVectors | None = None) -> Match:
    """Return which of the question's words the sentence holds; `support` is their share by weight.

    Without `vectors` only the same and related words count.
    """
    places: dict[int, float] = {}
    found: dict[str, float] = {}
    likeness = _likeness(question, sentence, vectors)
    for row, (stem, weight) in enumerate(question.weights.items()):
        for place in np.flatnonzero(likeness[row]):
            value = weight * float(likeness[row, place])
            places[int(place)] = max(places.get(int(place), 0.0), value)
            found[stem] = max(found.get(stem, 0.0), value)
    total = sum(question.weights.values())
    return Match(places, found, sum(found.values()) / total if total else 0.0)


def _likeness(question: QuestionReading, sentence: Tagged, vectors: WordVectors | None) -> Vectors:
    """Return 0..1 for each word of the question (row) and of the sentence (column)."""
    likeness = np.zeros((len(question.weights), len(sentence.words)), np.float32)
    if vectors is not None and likeness.size:
        columns = [word.lower if has_meaning(word) else "" for word in sentence.words]
        rows = [question.words[stem] for stem in question.weights]
        cosines = vectors.cosines(rows, columns)
        likeness = np.where(cosines >= _ALIKE, cosines, 0.0).astype(np.float32)
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
