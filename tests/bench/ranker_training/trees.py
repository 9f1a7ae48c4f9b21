"""Gradient boosting over the signs of questions, and its trees as the ranker reads them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.bench.ranker_training.labelled import Row

Array = npt.NDArray[Any]


class Trees:
    """Learns which rows are good from those of `learned`, a mask over all."""

    def __init__(self, rows: Sequence[Row], good: Array, learned: Array) -> None:
        from sklearn.ensemble import GradientBoostingClassifier

        self._names = sorted({name for row in rows for name in row["signs"]})
        self._signs = np.array([[row["signs"].get(name, 0.0) for name in self._names] for row in rows])
        self._model = GradientBoostingClassifier(
            n_estimators=120, max_depth=3, learning_rate=0.06, subsample=0.6, min_samples_leaf=min(20, len(rows) // 8),
            max_features=0.4, random_state=0,
        ).fit(self._signs[learned], good[learned])  # fmt: skip
        self._prior = float(good[learned].mean())

    def logits(self) -> Array:
        """Return the log-odds of every row."""
        found: Array = self._model.decision_function(self._signs)
        return found

    def shipped(self, share: float, start: float) -> dict[str, Any]:
        """Return what question_ranker.json holds: the log-odds times `share`, and `start` added."""
        begin = share * math.log(self._prior / (1 - self._prior)) + start
        scale = share * self._model.learning_rate
        return {
            "start": round(begin, 4),
            "trees": [self._node(each[0].tree_, 0, scale) for each in self._model.estimators_],
        }

    def _node(self, tree: Any, at: int, scale: float) -> Any:
        if tree.children_left[at] < 0:
            return round(float(tree.value[at].ravel()[0]) * scale, 4)
        below, above = (self._node(tree, side[at], scale) for side in (tree.children_left, tree.children_right))
        return [self._names[tree.feature[at]], round(float(tree.threshold[at]), 4), below, above]
