"""What the rules share: 1 for an answer that keeps the rule, 0 for one that breaks it; refusals are answers too."""

from __future__ import annotations

from typing import Any, ClassVar

from evaluation.metrics.base import Metric
from evaluation.types import Score


class Rule(Metric):
    """Base of rules about the form of an answer, set per run; a run's value is the share of answers that keep it.

    A refusal is held to them as any other answer: whoever reads answers by machine reads refusals too.
    """

    group: ClassVar[str] = "rules"
    named: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"answer"})
    cannot_see: ClassVar[str] = "anything but this rule, such as whether the answer is right"


def verdict(kept: bool, reason: str, **details: Any) -> Score:
    """Return 1 for a rule that is kept, 0 for one that is broken, with what was found."""
    return Score(float(kept), reason, details)
