"""What the usage metrics share: a quantity that was measured with the answer, without an upper end."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar

from evaluation.metrics.base import Metric, MetricContext
from evaluation.types import Sample, Score
from rag_pipeline.types import Trace


class Measured(Metric):
    """Base of what the pipeline took for an answer: seconds, tokens, money. What a judge takes is never in it.

    `unknown`: why an answer may come without the measurement.
    """

    group: ClassVar[str] = "usage"
    needs: ClassVar[frozenset[str]] = frozenset({"usage"})
    reads_answer: ClassVar[bool] = False
    high: ClassVar[float] = math.inf
    higher_is_better: ClassVar[bool] = False
    source: ClassVar[str] = "Measured with the answer"
    cannot_see: ClassVar[str] = "whether the answer was worth it"
    unknown: ClassVar[str]

    @abstractmethod
    def measured(self, trace: Trace) -> float | None:
        """Return the measurement, None where it is not known."""

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the measurement."""
        value = self.measured(sample.trace)
        return Score.unscored(self.unknown) if value is None else Score(float(value))
