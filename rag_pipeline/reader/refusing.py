"""How likely an answer is right to be given, and whether that is enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """A logistic regression on the signals, and the limits of answering.

    `weights` by signal, `bias`; `strictness`: the probability below which is declined unless another is set; `far`: the
    best cosine below which a question has nothing to do with its contexts.
    """

    weights: Mapping[str, float]
    bias: float
    strictness: float
    far: float

    @classmethod
    def of(cls, card: Mapping[str, Any]) -> Refusal:
        """Return what a card says of declining."""
        found = card["declining"]
        return cls(found["weights"], found["bias"], found["strictness"], found["far"])

    def probability(self, signals: Mapping[str, float]) -> float:
        """Return the probability that the contexts hold the answer, 0 to 1; 0 for a question that is far off."""
        if signals["closest"] < self.far:
            return 0.0
        logit = self.bias + sum(weight * signals[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-500.0, min(500.0, logit))))
