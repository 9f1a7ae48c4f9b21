"""Scores of stored or fresh answers: refusals, agreement, metrics, summaries. Asks no pipeline and no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.metrics.base import Embed, MetricContext, metrics
from evaluation.refusal import RefusalDetector
from evaluation.spec import HEADLINE, EvaluationSpec
from evaluation.summaries import Summaries, summarise
from evaluation.types import Refusal, Sample, Score, Summary


@dataclass(frozen=True)
class ScoredSamples:
    """Answers with their scores. `refusals[i]` and `scores[metric][i]` belong to `samples[i]`."""

    samples: Sequence[Sample]
    refusals: Sequence[Refusal]
    scores: dict[str, list[Score]]
    summaries: Summaries

    def summary(self, metric: str, group: str = "") -> Summary:
        """Return a metric's summary over the run or one of its groups. Raises KeyError."""
        return self.summaries[metric, group]


def score_samples(
    samples: Sequence[Sample],
    spec: EvaluationSpec,
    refusal: str,
    embed: Embed,
    *,
    use_context: bool = True,
    names: Sequence[str] = HEADLINE,
) -> ScoredSamples:
    """Score answers with the metrics called `names`. `refusal` is the sentence with which the bot should decline."""
    refusals = RefusalDetector(embed, spec, refusal).classify_many([sample.trace.answer for sample in samples])
    context = MetricContext(spec, refusals, embed, use_context=use_context)
    agreement = metrics.get(spec.agreement, "agreement")().score_many(samples, context)
    context = MetricContext(spec, refusals, embed, agreement, use_context)
    scores = {name: metrics.get(name)().score_many(samples, context) for name in names}
    return ScoredSamples(samples, refusals, scores, summarise(samples, scores, spec))
