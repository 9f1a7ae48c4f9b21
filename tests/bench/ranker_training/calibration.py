"""How sure the ranker may be: slope, start and a number for each kind of question, by documents that are new to it.

And what counts where a language model reads the questions again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.bench.ranker_training.labelled import Row

Array = npt.NDArray[Any]
_SHRUNK = 1 / 6
"""As if each kind had six questions more that are as all others."""
_FREE = 10.0
"""What the logit is multiplied by, so that its slope is hardly shrunk."""


@dataclass(frozen=True)
class Calibration:
    """The logit of a question becomes `slope` times what it was, plus `start`, plus the number of its kind."""

    slope: float
    start: float
    kinds: Mapping[str, float]

    def applied(self, shipped: dict[str, Any]) -> dict[str, Any]:
        """Return what question_ranker.json holds of one verdict, with it."""
        return shipped | {
            "start": round(shipped["start"] * self.slope + self.start, 4),
            "trees": [self._scaled(tree) for tree in shipped["trees"]],
            "kinds": {kind: round(value, 4) for kind, value in self.kinds.items()},
        }

    def _scaled(self, tree: Any) -> Any:
        if not isinstance(tree, list):
            return round(tree * self.slope, 4)
        name, limit, below, above = tree
        return [name, limit, self._scaled(below), self._scaled(above)]


def calibrated(logits: Array, good: Array, rows: Sequence[Row]) -> Calibration:
    """Fit to what a ranker gives questions that it has not learned; `logits`, `good`: (rows,)."""
    from sklearn.linear_model import LogisticRegression

    kinds = sorted({row["rule"] for row in rows})
    own = np.array([[row["rule"] == kind for kind in kinds] for row in rows], float)
    model = LogisticRegression(C=_SHRUNK, max_iter=1000).fit(np.column_stack([_FREE * logits, own]), good)
    slope, *values = model.coef_[0].tolist()
    return Calibration(_FREE * slope, float(model.intercept_[0]), dict(zip(kinds, values, strict=True)))


def counts_again(logits: Array, likely: Array, good: Array) -> list[float]:
    """Return what a logit and what a language model tells (rows, 3) count, and the number that is added."""
    from sklearn.linear_model import LogisticRegression

    numbers = np.column_stack([logits, likely])
    scale = numbers.std(axis=0) + 1e-9
    model = LogisticRegression(max_iter=1000).fit(numbers / scale, good)
    return [round(float(each), 4) for each in (*(model.coef_[0] / scale), model.intercept_[0])]
