"""Rules: a pattern that has to be in the answer."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.patterns import PatternRule
from evaluation.metrics.worked import WorkedExample


@metrics.register
class MustMatch(PatternRule):
    """A regular expression, as the option says."""

    key = "must_match"
    label = "Must match"
    known_as = {"DeepEval": ("PatternMatchMetric",)}
    help = "Whether the pattern stands somewhere in the answer."
    wanted = True
    formula = "1 if the pattern is found in the answer, else 0"
    source = "Own definition"
    worked = WorkedExample(
        1.0,
        "The pattern is found at “EUR 30”: kept.",
        question="What does it cost?",
        answer="It costs EUR 30.",
        options={"pattern": r"\bEUR \d+"},
    )
