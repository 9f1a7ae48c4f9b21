"""Which sentences of a corpus share the words of a question, and how much its evidence stands out among them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence

from rag_pipeline.english.lemmas import content_lemmas


class SentenceIndex:
    """The sentences of a corpus by their lemmas, numbered in the order given; a verbatim repeat counts once."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._numbers: dict[str, int] = {}
        self._holding: dict[str, set[int]] = defaultdict(set)
        self._lemmas: list[list[str]] = []
        for text in texts:
            if text not in self._numbers:
                self._numbers[text] = len(self._numbers)
                self._lemmas.append(content_lemmas(text))
                for lemma in self._lemmas[-1]:
                    self._holding[lemma].add(self._numbers[text])

    def rarity(self, lemma: str) -> float:
        """Return how much a shared lemma tells: log of sentences over those that hold it."""
        return math.log(1 + len(self._numbers) / (1 + len(self._holding.get(lemma, ()))))

    def holding(self, lemma: str) -> int:
        """Return how many sentences hold a lemma."""
        return len(self._holding.get(lemma, ()))

    def standing_out(self, question: str, evidence: Collection[str]) -> float:
        """Return the weight of the question's lemmas in its evidence, over that in the best other sentence."""
        own = {self._numbers[text] for text in evidence if text in self._numbers}
        shared: dict[int, float] = defaultdict(float)
        at_home = 0.0
        for lemma in set(content_lemmas(question)):
            holding = self._holding.get(lemma, set())
            weight = self.rarity(lemma)
            at_home += weight if holding & own else 0.0
            for number in holding - own:
                shared[number] += weight
        return at_home / max([*shared.values(), 0.1])

    def elsewhere(self, question: str, evidence: Collection[str]) -> int:
        """Return how many sentences beside the evidence say close together all that the question says."""
        own = {self._numbers[text] for text in evidence if text in self._numbers}
        wanted = {lemma for lemma in content_lemmas(question) if lemma in self._holding}
        if not wanted:
            return 0
        held = set.intersection(*(self._holding[lemma] for lemma in wanted)) - own
        return sum(_stretch(self._lemmas[number], wanted) <= _REACH * len(wanted) + _REACH for number in held)


_REACH = 2
"""Words of a sentence for each word of a question, within which it says the same."""


def _stretch(lemmas: Sequence[str], wanted: Collection[str]) -> int:
    """Return the length of the shortest run of lemmas that holds all that are wanted."""
    last: dict[str, int] = {}
    best = len(lemmas) + 1
    for at, lemma in enumerate(lemmas):
        if lemma in wanted:
            last[lemma] = at
            if len(last) == len(wanted):
                best = min(best, at - min(last.values()) + 1)
    return best
