"""Model-based: what a reward model, trained on people's preferences, thinks of the answer."""

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


class AnswerRewardOptions(UnitOptions):
    """Which model."""

    model: str = Field(
        "OpenAssistant/reward-model-deberta-v3-large-v2",
        min_length=1,
        max_length=300,
        title="Reward model",
        description="A reward model (sequence classifier with one label): a name of the hub, or a folder.",
    )


@metrics.register
class AnswerReward(WeightsMetric):
    """The model's reward for question and answer, squashed by the logistic function; it sees neither context nor
    reference, so that a fluent wrong answer may please it.
    """

    key = "answer_reward"
    label = "Answer reward"
    known_as = {"unitxt": ("metrics.rag.answer_reward",)}
    help = "How much a model trained on people's preferences likes the answer to its question."
    needs: ClassVar[frozenset[str]] = frozenset({"question", "answer", "weights"})
    formula = "1 / (1 + exp(−reward(question, answer)))"
    source = "Köpf et al. 2023 (OpenAssistant); as metrics.rag.answer_reward in unitxt (Bandel et al. 2024)"
    cannot_see = "whether the answer is right: the model knows neither reference nor contexts"
    worked = WorkedExample(
        0.88,
        "With a model that rewards this answer with 2: 1 / (1 + e^−2) = 0.88. A reward of 0 gives 0.5.",
        question="What is the capital of France?",
        answer="Paris.",
        executed=False,
    )
    Options = AnswerRewardOptions
    options: AnswerRewardOptions

    def score_with_weights(self, samples: Sequence[Sample]) -> list[Score]:
        """Score all pairs together."""
        pairs = [(sample.trace.question, sample.trace.answer) for sample in samples]
        return [_score(each) for each in pair_model(self.options.model, most_labels=1).logits(pairs)]


def _score(found: PairScore) -> Score:
    if found.value is None:
        return Score.unscored(found.reason)
    if not math.isfinite(found.value):
        return Score.unscored("the model gave a reward that is no number: give another")
    note = f"; the last {found.cut} tokens of the answer were not read" if found.cut else ""
    value = 1 / (1 + math.exp(-found.value)) if found.value > -700 else 0.0
    return Score(value, f"reward {found.value:.2f}{note}", {"reward": found.value, "cut_tokens": found.cut})
