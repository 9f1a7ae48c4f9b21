"""Headline score: answers what the documents hold, declines what they do not."""

from __future__ import annotations

from typing import ClassVar

from evaluation.metrics.base import REFUSALS_IN_LANGUAGES, Metric, MetricContext, metrics
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score


@metrics.register
class KnowledgeBounding(Metric):
    """1 where an answerable question was attempted or an out-of-scope one refused, else 0.

    An empty answer is neither an attempt nor a refusal. A run's value is the mean of the two rates, so that a bot that
    always answers, or always declines, gets 0.5 whatever the mix of questions.
    """

    key = "knowledge_bounding"
    label = "Knowledge bounding"
    help = "Mean of: answerable questions attempted, out-of-scope ones refused. 0.5 means no discrimination."
    group = "headline"
    needs: ClassVar[frozenset[str]] = frozenset({"label"})
    parts = ("attempted", "refused")
    revision = 2
    changes = REFUSALS_IN_LANGUAGES
    formula = "(attempted among answerable + refused among out-of-scope) / 2"
    source = "Balanced accuracy (Brodersen et al. 2010)"
    worked = WorkedExample(
        1.0,
        "The documents do not say it, and the answer declines. (Over a run: the mean of both rates.)",
        answer="I am not aware of that topic.",
        kind="out_of_scope",
    )

    def part(self, sample: Sample) -> str:
        """Return the rate that a sample counts for."""
        return "attempted" if sample.answerable else "refused"

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return whether the bot rightly tried or rightly declined."""
        refusal = context.refusals[0]
        kind = "an answerable" if sample.answerable else "an out-of-scope"
        if not sample.trace.answer.strip():
            return Score(0.0, f"{kind} question got an empty answer: neither an attempt nor a refusal")
        right = refusal.refused != sample.answerable
        return Score(float(right), f"{kind} question was {'refused' if refusal.refused else 'attempted'}")
