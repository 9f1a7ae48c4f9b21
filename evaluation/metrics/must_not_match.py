"""Rules: a pattern that must not be in the answer."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.patterns import PatternRule
from evaluation.metrics.worked import WorkedExample


@metrics.register
class MustNotMatch(PatternRule):
    """A regular expression, as the option says."""

    key = "must_not_match"
    label = "Must not match"
    help = "Whether the pattern stands nowhere in the answer."
    wanted = False
    formula = "0 if the pattern is found in the answer, else 1"
    source = "Own definition"
    worked = WorkedExample(
        0.0,
        "The pattern is found at “As an AI”, letters of either case counting as the same: broken.",
        question="What does it cost?",
        answer="As an AI, I cannot tell.",
        options={"pattern": "as an ai", "ignore_case": True},
    )
