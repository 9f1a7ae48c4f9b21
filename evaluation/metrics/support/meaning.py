"""Closeness in meaning for a block of sentences: each distinct sentence and word is embedded once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.support.evidence import Evidence, Floats
from evaluation.metrics.support.units import WORD, Sentence, Unit, plain
from rag_pipeline.embedders.base import Embed, Vectors
from rag_pipeline.english.antonyms import antonyms

_READ = 1000
"""Characters of a sentence that are embedded; a longer one is a list or has lost its full stops."""
CANDIDATES = 3
"""Sentences of the contexts, those with most in common, that a sentence is compared with."""


@dataclass(frozen=True, slots=True)
class Question:
    """A sentence, its evidence, how well that holds each unit, and the most promising sentences."""

    sentence: Sentence
    evidence: Evidence
    presence: Floats
    candidates: tuple[int, ...]

    @property
    def open_words(self) -> list[tuple[int, Unit]]:
        """The plain words that no context has, by their place."""
        if not self.candidates:
            return []
        unmet = self.presence.max(axis=1) < 1
        return [(row, unit) for row, unit in enumerate(self.sentence.units) if unit.kind == WORD and unmet[row]]

    def words_there(self, candidate: int) -> list[str]:
        """Return the plain words of a candidate sentence."""
        return [plain(unit.text) for unit in self.evidence.sentences[candidate].units if unit.kind == WORD]


class Meaning:
    """Vectors of sentences and words; `learn` embeds what is new in one go."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._vectors: dict[str, Vectors] = {}

    def learn(self, questions: Sequence[Question]) -> None:
        """Embed all that the questions need. Raises ProviderError."""
        texts = dict.fromkeys(text for question in questions for text in _texts(question))
        # Of like length together: a batch is padded to its longest text.
        new = sorted((text for text in texts if text not in self._vectors), key=len)
        if new:
            self._vectors.update(zip(new, self._embed(new), strict=True))

    def closeness(self, question: Question) -> float:
        """Return the cosine of the sentence with the closest candidate, 0 without one."""
        mine = self._vectors[question.sentence.text[:_READ]]
        cosines = [
            float(self._vectors[question.evidence.sentences[at].text[:_READ]] @ mine) for at in question.candidates
        ]
        return max(0.0, min(1.0, max(cosines, default=0.0)))

    def likeness(self, question: Question) -> Floats:
        """Return how alike each open word (row) is to the closest word of each candidate (column); else 0."""
        found = np.zeros_like(question.presence)
        rows = question.open_words
        for column in question.candidates if rows else ():
            there = question.words_there(column)
            if not there:
                continue
            cosines = (
                np.stack([self._vectors[plain(unit.text)] for _, unit in rows])
                @ np.stack([self._vectors[word] for word in there]).T
            )
            for line, (row, unit) in enumerate(rows):
                opposite = antonyms().get(plain(unit.text), frozenset())
                found[row, column] = max(
                    (float(cosine) for cosine, word in zip(cosines[line], there, strict=True) if word not in opposite),
                    default=0.0,
                )
        return found


def _texts(question: Question) -> Iterable[str]:
    if not question.candidates:
        return
    yield question.sentence.text[:_READ]
    open_words = question.open_words
    yield from (plain(unit.text) for _, unit in open_words)
    for candidate in question.candidates:
        yield question.evidence.sentences[candidate].text[:_READ]
        if open_words:
            yield from question.words_there(candidate)
