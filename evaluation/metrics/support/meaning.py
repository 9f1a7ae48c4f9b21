"""Similarity in meaning for a block of sentences: each distinct sentence and word is embedded once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.support.context_index import ContextIndex, Floats
from evaluation.metrics.support.units import WORD, AnalysedSentence, SupportUnit, plain
from rag_pipeline.embedders.base import Embed, Vectors
from rag_pipeline.english.antonyms import antonyms
from rag_pipeline.english.siblings import excluded_by, root

_MOST_EMBEDDED = 1000
"""Characters of a sentence that are embedded; a longer one is a list or has lost its full stops."""
CANDIDATES = 3
"""Sentences of the contexts, those with most in common, that a sentence is compared with."""


@dataclass(frozen=True, slots=True)
class SentenceQuery:
    """A sentence of an answer, the contexts, how well each of their sentences holds each unit, and the best of them."""

    sentence: AnalysedSentence
    index: ContextIndex
    presence: Floats
    candidates: tuple[int, ...]

    @property
    def open_words(self) -> list[tuple[int, SupportUnit]]:
        """The plain words that no context has, by their place."""
        if not self.candidates:
            return []
        unmet = self.presence.max(axis=1) < 1
        return [(row, unit) for row, unit in enumerate(self.sentence.units) if unit.kind == WORD and unmet[row]]

    def words_there(self, candidate: int) -> list[str]:
        """Return the plain words of a candidate sentence."""
        return [plain(unit.text) for unit in self.index.sentences[candidate].units if unit.kind == WORD]


class Meaning:
    """Vectors of sentences and words; `learn` embeds what is new in one go."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._vectors: dict[str, Vectors] = {}

    def learn(self, queries: Sequence[SentenceQuery]) -> None:
        """Embed all that the queries need. Raises ProviderError."""
        texts = dict.fromkeys(text for query in queries for text in _texts(query))
        # Of like length together: a batch is padded to its longest text.
        new = sorted((text for text in texts if text not in self._vectors), key=len)
        if new:
            self._vectors.update(zip(new, self._embed(new), strict=True))

    def closeness(self, query: SentenceQuery) -> float:
        """Return the cosine of the sentence with the closest candidate, 0 without one."""
        mine = self._vectors[query.sentence.text[:_MOST_EMBEDDED]]
        cosines = [
            float(self._vectors[query.index.sentences[at].text[:_MOST_EMBEDDED]] @ mine) for at in query.candidates
        ]
        return max(0.0, min(1.0, max(cosines, default=0.0)))

    def likeness(self, query: SentenceQuery, *, kinds_apart: bool = False) -> Floats:
        """Return how alike each open word (row) is to the closest word of each candidate (column); else 0.

        Antonyms are not alike; with `kinds_apart` nor are words of a kind.
        """
        found = np.zeros_like(query.presence)
        rows = query.open_words
        if not rows:
            return found
        mine = np.stack([self._vectors[plain(unit.text)] for _, unit in rows])
        for column in query.candidates:
            there = query.words_there(column)
            if not there:
                continue
            cosines = mine @ np.stack([self._vectors[word] for word in there]).T
            for line, (row, unit) in enumerate(rows):
                opposite = _opposite(plain(unit.text), there, kinds_apart=kinds_apart)
                found[row, column] = max(
                    (float(cosine) for cosine, word in zip(cosines[line], there, strict=True) if word not in opposite),
                    default=0.0,
                )
        return found


def _opposite(word: str, there: Sequence[str], *, kinds_apart: bool) -> frozenset[str]:
    if not kinds_apart:
        return antonyms().get(word, frozenset())
    excluded = excluded_by(root(word))
    return frozenset(other for other in there if root(other) in excluded)


def _texts(query: SentenceQuery) -> Iterable[str]:
    if not query.candidates:
        return
    yield query.sentence.text[:_MOST_EMBEDDED]
    open_words = query.open_words
    yield from (plain(unit.text) for _, unit in open_words)
    for candidate in query.candidates:
        yield query.index.sentences[candidate].text[:_MOST_EMBEDDED]
        if open_words:
            yield from query.words_there(candidate)
