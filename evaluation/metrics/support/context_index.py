"""The sentences of contexts by the units in them, so that those that may support an answer are found quickly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evaluation.metrics.support.units import NAME, WORD, AnalysedSentence, SupportUnit, analyse_sentences
from rag_pipeline.english.words import share_beginning

Floats = npt.NDArray[np.float64]
RELATED = 0.8
"""Likeness of two words with a long common beginning: construct, construction."""


@dataclass(frozen=True)
class ContextIndex:
    """The sentences of all contexts in order; `origin[i]` says of which context sentence i is."""

    sentences: tuple[AnalysedSentence, ...]
    origin: tuple[int, ...]

    @classmethod
    def of(cls, contexts: Sequence[str]) -> ContextIndex:
        """Read contexts; a repeated one is read once."""
        places: dict[str, int] = {}
        for place, text in enumerate(contexts):
            places.setdefault(text, place)
        read = [(sentence, place) for text, place in places.items() for sentence in analyse_sentences(text)]
        return cls(tuple(sentence for sentence, _ in read), tuple(place for _, place in read))

    @cached_property
    def by_key(self) -> dict[str, list[int]]:
        """Sentences by the key of a unit in them."""
        found: dict[str, list[int]] = defaultdict(list)
        for place, sentence in enumerate(self.sentences):
            for key in sentence.said.keys:
                found[key].append(place)
        return dict(found)

    @cached_property
    def _by_beginning(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for key in self.by_key:
            if len(key) >= 5 and key.isalpha():
                found[key[:5]].append(key)
        return dict(found)

    def related(self, key: str) -> list[str]:
        """Return the keys that share a long beginning with `key`."""
        return [other for other in self._by_beginning.get(key[:5], ()) if other != key and share_beginning(key, other)]

    def presence(self, units: Sequence[SupportUnit]) -> Floats:
        """Return how well each sentence (column) holds each unit (row): 1 the same, `RELATED` for a relative."""
        grades = np.zeros((len(units), len(self.sentences)))
        for row, unit in enumerate(units):
            if unit.kind in (WORD, NAME):
                for key in self.related(unit.key):
                    for column in self.by_key[key]:
                        grades[row, column] = RELATED
            for column in self.by_key.get(unit.key, ()):
                grades[row, column] = 1.0
        return grades
