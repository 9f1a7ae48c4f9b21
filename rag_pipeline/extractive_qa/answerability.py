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

    def probability(self, signals: Mapping[str, float], less: float = 0.0) -> float:
        """Return the probability that the contexts hold the answer, 0 to 1. `less` is taken off its logit."""
        logit = self.bias - less + sum(weight * signals[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-500.0, min(500.0, logit))))


@dataclass(frozen=True, slots=True)
class AnswerabilityModel:
    """Whether an answer is likely enough to be given: two regressions, and the limits of answering.

    `several` decides where the best of several contexts was chosen, `alone` where there is but one: its signals say
    more then (balanced accuracy .69 for .66). `strictness`: the probability below which is declined unless another is
    set; `far`: the best cosine below which a question has nothing to do with its contexts. `short`: what several
    contexts that are shorter than paragraphs take off the logit, times the signal of that name: small chunks look as if
    they answered what they do not.
    """

    several: Regression
    alone: Regression
    strictness: float
    far: float
    short: float = 0.0

    @classmethod
    def of(cls, card: Mapping[str, Any]) -> AnswerabilityModel:
        """Return what a card says of declining."""
        found = card["declining"]
        several, alone = (Regression(found[name]["weights"], found[name]["bias"]) for name in ("several", "alone"))
        return cls(several, alone, found["strictness"], found["far"], found.get("short", 0.0))

    def probability(self, signals: Mapping[str, float]) -> float:
        """Return the probability that the contexts hold the answer, 0 to 1; 0 for a question that is far off."""
        if signals["closest"] < self.far:
            return 0.0
        if is_alone(signals):
            return self.alone.probability(signals)
        return self.several.probability(signals, self.short * signals.get("short", 0.0))


def is_alone(signals: Mapping[str, float]) -> bool:
    """True for the signals of a question with one context."""
    return signals["contexts"] == 0.0
