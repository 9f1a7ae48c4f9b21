"""Model-based: how close answer and reference are to a model that reads both together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from evaluation.metrics.base import metrics
from evaluation.metrics.model_based import WeightsMetric
from evaluation.metrics.models.pair_model import PairScore, pair_model
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.registry import UnitOptions


class CrossEncoderSimilarityOptions(UnitOptions):
    """Which model."""

    model: str = Field(
        "cross-encoder/stsb-roberta-base",
        min_length=1,
        max_length=300,
        title="Cross-encoder",
        description="A cross-encoder for similarity of meaning: a name of the hub, or a folder.",
    )


@metrics.register
class CrossEncoderSimilarity(WeightsMetric):
    """The score of a cross-encoder for (answer, reference), clipped to 0..1; the best of several references counts."""

    key = "cross_encoder_similarity"
    label = "Cross-encoder similarity"
    help = "Closeness of answer and reference to a model that reads both together: finer than a cosine, and slower."
    kinds = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"answer", "reference", "weights"})
    formula = "max over references of min(1, max(0, cross-encoder(answer, reference)))"
    source = "Semantic answer similarity (Risch et al. 2021); models as in Reimers and Gurevych 2019"
    cannot_see = "a negation or an exchange of names and numbers, where most of the text is the same"
    worked = WorkedExample(
        0.9,
        "With a model that gives 0.9 for the first reference and 0.2 for the second: the better one counts, 0.9.",
        question="Where was the decree issued?",
        answer="in Memphis",
        references=("Memphis", "a city in Egypt"),
        executed=False,
    )
    Options = CrossEncoderSimilarityOptions
    options: CrossEncoderSimilarityOptions

    def texts_read(self, sample: Sample) -> Sequence[str]:
        """Return answer and references."""
        return [sample.trace.answer, *sample.reference_answers]

    def score_with_weights(self, samples: Sequence[Sample]) -> list[Score]:
        """Score all pairs together."""
        rows = [[text for text in sample.reference_answers if text.strip()] for sample in samples]
        pairs = [(sample.trace.answer, text) for sample, texts in zip(samples, rows, strict=True) for text in texts]
        found = iter(pair_model(self.options.model, most_labels=2).similarities(pairs))
        return [_best([(text, next(found)) for text in texts]) for texts in rows]


def _best(found: Sequence[tuple[str, PairScore]]) -> Score:
    """Return the score of the closest reference."""
    read = [(text, each.value, each.cut) for text, each in found if each.value is not None]
    if not read:
        return Score.unscored(found[0][1].reason)
    if not all(math.isfinite(value) for _, value, _ in read):
        return Score.unscored("the model gave a similarity that is no number: give another")
    reference, value, cut = max(read, key=lambda each: each[1])
    note = f"; {cut} tokens were not read" if cut else ""
    reason = f"{value:.2f} with the closest reference{note}"
    return Score(min(1.0, max(0.0, value)), reason, {"reference": reference, "raw": value, "cut_tokens": cut})
