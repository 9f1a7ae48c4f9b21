"""How likely an answer is right to be given, and whether that is enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Regression:
    """A logistic regression on the signals: weights by signal, and a bias."""

    weights: Mapping[str, float]
    bias: float

    def probability(self, signals: Mapping[str, float]) -> float:
        """Return the probability that the contexts hold the answer, 0 to 1."""
        logit = self.bias + sum(weight * signals[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-500.0, min(500.0, logit))))


@dataclass(frozen=True, slots=True)
class AnswerabilityModel:
    """Whether an answer is likely enough to be given: two regressions, and the limits of answering.

    `several` decides where the best of several contexts was chosen, `alone` where there is but one: its signals say
    more then (balanced accuracy .69 for .66). `strictness`: the probability below which is declined unless another is
    set; `far`: the best cosine below which a question has nothing to do with its contexts.
    """

    several: Regression
    alone: Regression
    strictness: float
    far: float

    @classmethod
    def of(cls, card: Mapping[str, Any]) -> AnswerabilityModel:
        """Return what a card says of declining."""
        found = card["declining"]
        several, alone = (Regression(found[name]["weights"], found[name]["bias"]) for name in ("several", "alone"))
        return cls(several, alone, found["strictness"], found["far"])

    def probability(self, signals: Mapping[str, float]) -> float:
        """Return the probability that the contexts hold the answer, 0 to 1; 0 for a question that is far off."""
        if signals["closest"] < self.far:
            return 0.0
        return (self.alone if is_alone(signals) else self.several).probability(signals)


def is_alone(signals: Mapping[str, float]) -> bool:
    """True for the signals of a question with one context."""
    return signals["contexts"] == 0.0
