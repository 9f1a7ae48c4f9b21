"""Scores of stored or fresh answers: refusals, agreement, metrics, summaries. Asks no pipeline and no model."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evaluation.metrics.base import Embed, MetricContext, metrics
from evaluation.refusal import RefusalDetector
from evaluation.spec import HEADLINE, EvaluationSpec
from evaluation.summaries import Summaries, summarise
from evaluation.types import Refusal, Sample, Score, Summary
from rag_pipeline.types import Progress

Result = TypeVar("Result")
Steps = Generator[Progress, None, Result]
"""Work that yields how far it is, and returns what it comes to."""

STEP = "Scoring"


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
) -> Steps[ScoredSamples]:
    """Score answers with the metrics called `names`, yielding progress; `finished` does it all at once.

    `refusal` is the sentence with which the bot should decline.
    """
    total = len(names) + 3
    yield Progress(STEP, 0, total)
    refusals = RefusalDetector(embed, spec, refusal).classify_many([sample.trace.answer for sample in samples])
    yield Progress(STEP, 1, total)
    context = MetricContext(spec, refusals, embed, use_context=use_context)
    agreement = metrics.get(spec.agreement, "agreement")().score_many(samples, context)
    context = MetricContext(spec, refusals, embed, agreement, use_context)
    scores: dict[str, list[Score]] = {}
    for name in names:
        yield Progress(STEP, len(scores) + 2, total)
        scores[name] = metrics.get(name)().score_many(samples, context)
    yield Progress(STEP, total - 1, total)
    return ScoredSamples(samples, refusals, scores, summarise(samples, scores, spec))


def finished(steps: Steps[Result]) -> Result:
    """Do all steps at once and return what they come to."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            result: Result = stop.value
            return result
