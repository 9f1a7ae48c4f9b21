"""Similarity in meaning for a block of sentences: each distinct sentence and word is embedded once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.metrics.support.context_index import ContextIndex, Floats
from evaluation.metrics.support.units import WORD, AnalysedSentence, SentenceUnits, SupportUnit, plain
from rag_pipeline.embedders.base import Embed, Vectors
from rag_pipeline.english.antonyms import antonyms

_NONE: frozenset[str] = frozenset()
_MOST_EMBEDDED = 1000
"""Characters of a sentence that are embedded; a longer one is a list or has lost its full stops."""
CANDIDATES = 3
"""Sentences of the contexts, those with most in common, that a sentence is compared with."""


@dataclass(frozen=True, eq=False)
class SentenceQuery:
    """A sentence of an answer, the contexts, how well each of their sentences holds each unit, and the best of them."""

    sentence: AnalysedSentence
    index: ContextIndex
    presence: Floats
    candidates: tuple[int, ...]

    @cached_property
    def open_words(self) -> list[tuple[int, SupportUnit]]:
        """The plain words that no context has, by their place."""
        if not self.candidates:
            return []
        unmet = (self.presence.max(axis=1) < 1).tolist()
        return [(row, unit) for row, unit in enumerate(self.sentence.units) if unit.kind == WORD and unmet[row]]

    def words_there(self, candidate: int) -> tuple[str, ...]:
        """Return the plain words of a candidate sentence."""
        return self.index.sentences[candidate].said.plain_words


class Meaning:
    """Vectors of sentences and words; `learn` embeds what is new in one go."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._vectors: dict[str, Vectors] = {}
        self._matrices: dict[SentenceUnits, Vectors] = {}

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

    def likeness(self, query: SentenceQuery) -> Floats:
        """Return how alike each open word (row) is to the closest word of each candidate (column); else 0.

        Antonyms are not alike.
        """
        found = np.zeros_like(query.presence)
        rows = query.open_words
        if not rows:
            return found
        words = [plain(unit.text) for _, unit in rows]
        places = [row for row, _ in rows]
        mine = _rows(self._vectors[word] for word in words)
        for column in query.candidates:
            said = query.index.sentences[column].said
            if not said.plain_words:
                continue
            cosines = mine @ self._matrix(said).T
            found[places, column] = cosines.max(axis=1)
            for line, word in enumerate(words):
                unlike = antonyms().get(word, _NONE).intersection(said.plain_words)
                if unlike:
                    kept = [at for at, other in enumerate(said.plain_words) if other not in unlike]
                    found[places[line], column] = cosines[line, kept].max() if kept else 0.0
        return found

    def _matrix(self, said: SentenceUnits) -> Vectors:
        """Return the vectors of a sentence's plain words."""
        if said not in self._matrices:
            self._matrices[said] = _rows(self._vectors[word] for word in said.plain_words)
        return self._matrices[said]


def _rows(vectors: Iterable[Vectors]) -> Vectors:
    """Return vectors as the rows of a matrix, of which there is one at least: four times as fast as `np.stack`."""
    rows = list(vectors)
    return np.concatenate(rows).reshape(len(rows), -1)


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
