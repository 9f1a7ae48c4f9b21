"""The sentences of contexts by the units in them, so that those that may support an answer are found quickly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
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
    def _beginnings(self) -> dict[str, list[str]]:
        return by_beginning(self.by_key)

    def presence(self, units: Sequence[SupportUnit]) -> Floats:
        """Return how well each sentence (column) holds each unit (row): 1 the same, `RELATED` for a relative."""
        grades = np.zeros((len(units), len(self.sentences)))
        for row, unit in enumerate(units):
            if unit.kind in (WORD, NAME):
                for key in related(unit.key, self._beginnings):
                    for column in self.by_key[key]:
                        grades[row, column] = RELATED
            for column in self.by_key.get(unit.key, ()):
                grades[row, column] = 1.0
        return grades


def by_beginning(keys: Iterable[str]) -> dict[str, list[str]]:
    """Return the longer words among keys by their first letters."""
    found: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        if len(key) >= 5 and key.isalpha():
            found[key[:5]].append(key)
    return dict(found)


def related(key: str, beginnings: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the other keys, given by their beginning, that share a long beginning with `key`."""
    return [other for other in beginnings.get(key[:5], ()) if other != key and share_beginning(key, other)]
