"""Headline score: answers what the documents hold, declines what they do not."""

from __future__ import annotations

from typing import ClassVar

from evaluation.metrics.base import REFUSALS_IN_LANGUAGES, Metric, MetricContext, metrics
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score


@metrics.register
class KnowledgeBounding(Metric):
    """1 where an answerable question was attempted or an out-of-scope one refused, else 0.

    With `bounding` = `right` an answerable question counts where it was answered rightly: its agreement with the
    reference, 0 for a refusal, is at least `failure_agreement_high`. Both rates are shown, whichever counts.

    An empty answer is neither an attempt nor a refusal. A run's value is the mean of the two rates, so that a bot that
    always answers, or always declines, gets 0.5 whatever the mix of questions.
    """

    key = "knowledge_bounding"
    label = "Knowledge bounding"
    help = "Mean of: answerable questions attempted, out-of-scope ones refused. 0.5 means no discrimination."
    group = "headline"
    needs: ClassVar[frozenset[str]] = frozenset({"label"})
    parts = ("attempted", "refused")
    readings = ("attempted", "right")
    revision = 2
    changes = REFUSALS_IN_LANGUAGES
    formula = "(attempted, or by choice answered rightly, among answerable + refused among out-of-scope) / 2"
    source = "Balanced accuracy (Brodersen et al. 2010)"
    cannot_see = (
        "whether an attempt is right, unless that is chosen (bounding = right); refusals in words that are not "
        "told as one"
    )
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
        kind = "an answerable" if sample.answerable else "an out-of-scope"
        refused, empty = context.refusals[0].refused, not sample.trace.answer.strip()
        did = "got an empty answer: neither an attempt nor a refusal" if empty else "was attempted"
        reason = f"{kind} question {'was refused' if refused and not empty else did}"
        if not sample.answerable:
            return Score(float(refused and not empty), reason)
        attempted = float(not refused and not empty)
        right = _answered_rightly(sample, attempted, context)
        details = {"attempted": attempted} | ({} if right is None else {"right": right})
        if context.spec.bounding == "attempted":
            return Score(attempted, reason, details)
        if right is None:
            return Score(
                None, "whether the answer is right is not known: it has no agreement with a reference", details
            )
        wrong = "" if right else f" and its agreement is below {context.spec.failure_agreement_high:g}"
        return Score(right, f"{reason}{wrong if attempted else ''}", details)


def _answered_rightly(sample: Sample, attempted: float, context: MetricContext) -> float | None:
    """Return 1 where an attempt agrees with the reference, else 0; None where nobody can tell.

    Without a reference that is so of refusals, too: they alone would pass for all such questions.
    """
    if not any(text.strip() for text in sample.reference_answers):
        return None
    if not attempted:
        return 0.0
    agreement = context.agreement[0].value if context.agreement else None
    return None if agreement is None else float(agreement >= context.spec.failure_agreement_high)
