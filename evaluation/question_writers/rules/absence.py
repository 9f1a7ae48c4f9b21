"""Whether the corpus lacks something: no short window of it holds both an entity and an attribute."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence

from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import lemma

WINDOW = 300
"""Characters within which an entity and an attribute would have to meet to be about each other."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_HUMP = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


class WindowIndex:
    """The positions of each lemma in each text."""

    def __init__(self, texts: Sequence[str], window: int = WINDOW) -> None:
        self.window = window
        self._places: dict[str, list[list[int]]] = defaultdict(lambda: [[] for _ in texts])
        for number, text in enumerate(texts):
            for match in _WORD.finditer(text):
                word = match.group()
                # `TimeoutError` speaks of an error.
                for part in {word, *_HUMP.findall(word)} if word[1:] != word[1:].lower() else (word,):
                    if part.lower() not in STOP:
                        self._places[lemma(part.lower())][number].append(match.start())

    def count(self, word: str) -> int:
        """Return how often a word or one of its inflections occurs."""
        places = self._places.get(lemma(word.lower()))
        return sum(len(one) for one in places) if places else 0

    def absent(self, entity: str, attribute_words: Iterable[str]) -> bool:
        """Return whether no window holds all words of the entity and any of the attribute's words."""
        names = list(dict.fromkeys(_lemmas(entity)))
        attributes = {one for word in attribute_words for one in _lemmas(word)}
        if not names or not attributes:
            return False
        return not any(self._meet(names, attribute) for attribute in attributes)

    def _meet(self, names: list[str], attribute: str) -> bool:
        found = self._places.get(attribute)
        if found is None or any(name not in self._places for name in names):
            return False
        return any(
            self._near(places, [self._places[name][number] for name in names]) for number, places in enumerate(found)
        )

    def _near(self, places: list[int], names: list[list[int]]) -> bool:
        """Return whether around one of the places every name has one within the window."""
        if not all(names):
            return False
        for place in places:
            low, high = place - self.window, place + self.window
            if all(_any_between(positions, low, high) for positions in names):
                return True
        return False


def _lemmas(text: str) -> list[str]:
    return [lemma(word) for word in (match.group().lower() for match in _WORD.finditer(text)) if word not in STOP]


def _any_between(positions: list[int], low: int, high: int) -> bool:
    at = bisect_left(positions, low)
    return at < len(positions) and positions[at] <= high
