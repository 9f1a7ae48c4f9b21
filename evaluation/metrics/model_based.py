"""What metrics with weights of their own share: loaded when chosen, null with the mend where that fails."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from evaluation.metrics.base import Metric, MetricContext
from evaluation.metrics.language.scripts import is_latin
from evaluation.metrics.models.hub import why_unavailable
from evaluation.types import Sample, Score
from rag_pipeline.errors import ConfigError


class WeightsMetric(Metric):
    """Base of the model-based metrics; their `Options` have a field `model`, a folder or a name of the hub.

    The models that they come with read English alone: texts in another script are null under them.
    """

    group: ClassVar[str] = "model-based"
    requires: ClassVar[dict[str, str]] = {"torch": "torch", "transformers": "transformers"}
    options: Any
    _refused: str = ""

    def unready(self) -> str:
        """Return why the model is neither on this machine nor to be had from the hub, or an empty string."""
        return why_unavailable(self.options.model)

    def why_null(self, sample: Sample, context: MetricContext) -> str:
        """Return why a sample cannot be scored, or an empty string."""
        reason = super().why_null(sample, context)
        chosen: str = self.options.model
        if reason or chosen != type(self).Options.model_fields["model"].default:
            return reason
        if all(is_latin(text) for text in self.texts_read(sample)):
            return ""
        return f"the model {chosen} reads English alone: choose one for the language of these texts"

    def texts_read(self, sample: Sample) -> Sequence[str]:
        """Return the texts whose script must be one that the model knows."""
        return [sample.trace.question, sample.trace.answer]

    def without_model(self, sample: Sample) -> Score | None:
        """Return the score of a sample that takes no model, None where it takes one."""
        return None

    def score_block(self, samples: Sequence[Sample], context: MetricContext) -> list[Score]:
        """Load the model and score; rows that take it are null with the reason where it cannot be loaded."""
        scores = [self.without_model(sample) for sample in samples]
        asked = [place for place, score in enumerate(scores) if score is None]
        if not asked:
            return [score for score in scores if score is not None]
        found = self._scored([samples[place] for place in asked])
        for place, score in zip(asked, found, strict=True):
            scores[place] = score
        return [score for score in scores if score is not None]

    def _scored(self, samples: Sequence[Sample]) -> list[Score]:
        """Score a block; a model that could not be had for one block is not tried for the next."""
        if not self._refused:
            try:
                return self.score_with_weights(samples)
            except ConfigError as error:
                self._refused = str(error)
        return [Score.unscored(self._refused)] * len(samples)

    @abstractmethod
    def score_with_weights(self, samples: Sequence[Sample]) -> list[Score]:
        """Return one score per sample. Raises ConfigError where the model cannot be loaded."""
