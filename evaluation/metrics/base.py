"""Metrics: an answered question to a score, each explained down to its evidence."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal, Sample, Score, Summary
from rag_pipeline.embedders.base import Vectors
from rag_pipeline.registry import Registry, Unit


@dataclass(frozen=True)
class MetricContext:
    """What metrics share for one block of samples.

    `refusals[i]` belongs to `samples[i]`. `embed` is the evaluation's own embedding: texts to unit vectors.
    """

    spec: EvaluationSpec
    refusals: Sequence[Refusal]
    embed: Callable[[Sequence[str]], Vectors]
    agreement: dict[str, Sequence[Score]] = field(default_factory=dict)


class Metric(Unit):
    """A score of answers.

    `needs` are the inputs without which a row is null: answer, reference, evidence, contexts, embeddings.
    `low`, `high`: range; `higher_is_better`; `formula` and `source` are shown on the Metrics page.
    """

    group: ClassVar[str] = ""
    needs: ClassVar[frozenset[str]] = frozenset()
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0
    higher_is_better: ClassVar[bool] = True
    formula: ClassVar[str] = ""
    source: ClassVar[str] = ""

    @abstractmethod
    def score_many(self, samples: Sequence[Sample], context: MetricContext) -> list[Score]:
        """Return one score per sample, in order."""

    def aggregate(self, samples: Sequence[Sample], scores: Sequence[Score]) -> Summary | None:
        """Return the run's value where it is not the mean of the column; None for the mean."""
        return None


metrics: Registry[Metric] = Registry("metric", "evaluation.metrics")
