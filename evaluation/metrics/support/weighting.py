"""The weights of support: of units and of its parts. Set by reasoning, and on data that it is not measured on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from evaluation.metrics.support.units import NAME, NUMBER, PAIR, SMALL, SPEAKER, SupportUnit


@dataclass(frozen=True)
class WeightingScheme:
    """Weights of units and of the parts of a sentence's support.

    `small`: a function word; `plain` to 1: a word, by rarity; `name`, `number`: what inventions change most.
    `speaker`: I, we, you, of whom no document speaks. `asked`: factor for what the question says already.
    """

    small: float = 0.15
    plain: float = 0.4
    name: float = 1.5
    number: float = 2.0
    speaker: float = 1.0
    asked: float = 0.5
    alike: float = 0.5
    """Cosine from which two words are of like meaning; the cosine is their likeness."""
    local: float = 0.4
    """How much the single best sentence counts, against all contexts together."""
    order: float = 0.15
    """How much it counts that neighbours stand in one sentence."""
    meaning: float = 0.15
    """How much the cosine with the closest sentence counts, for a sentence of `meaning_from` units or more."""
    meaning_from: int = 4
    contradicted: float = 0.25
    """Factor for a sentence that tells the other way round, or denies, what its evidence says; and for its words."""
    denied_nearby: float = 0.7
    """Factor for one that has a word behind a negation which its evidence has without, or the other way round."""
    same_matter: float = 0.6
    """Share of a sentence that its evidence must hold for the two to be about the same."""
    weakest: float = 0.25
    """How much the weakest sentence counts, against the mean of all."""
    said_small: float = 0.5
    """A function word, where all words are counted and nothing is excused; a plain word is 1."""
    said_speaker: float = 2.0

    @cached_property
    def _by_kind(self) -> dict[str, float]:
        return {SMALL: self.small, NAME: self.name, NUMBER: self.number, SPEAKER: self.speaker, PAIR: 1.0}

    def weight(self, unit: SupportUnit) -> float:
        """Return the weight of a unit."""
        weight = self._by_kind.get(unit.kind)
        return self.plain + (1 - self.plain) * unit.rarity if weight is None else weight

    def said(self, unit: SupportUnit) -> float:
        """Return the weight of a unit where all words are counted and nothing is excused."""
        by_kind = {SMALL: self.said_small, NAME: self.name, NUMBER: self.number, SPEAKER: self.said_speaker}
        return by_kind.get(unit.kind, 1.0)


SCHEME = WeightingScheme()
