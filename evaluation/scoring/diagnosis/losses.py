"""What an answer lost: its score by kind, the rules it broke, whether it is too general."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.metrics.base import metrics
from evaluation.types import Sample, Score

PRIMARY = {"simple": "recall", "complex": "robustness", "out_of_scope": "knowledge_bounding"}
"""The score by which an answer is judged, by the kind of its question."""

RULES = "rules"
"""Group of the metrics that say whether a rule was kept."""
TOO_GENERAL = ("aspect:specificity",)
"""Judge metrics whose lower half says that an answer is too general."""

Scores = Mapping[str, Score]
"""The scores of one answer by metric."""


def primary(sample: Sample, scores: Scores) -> float | None:
    """Return the answer's score by its kind; None where it could not be computed."""
    score = scores.get(PRIMARY[sample.kind])
    return score.value if score else None


def value_of(scores: Scores, metric: str) -> float | None:
    """Return a score's value; None where it is empty or was not computed."""
    score = scores.get(metric)
    return score.value if score else None


def broken_rules(scores: Scores) -> list[str]:
    """Return the names of the rules that the answer broke."""
    return [
        name
        for name, score in scores.items()
        if score.value == 0 and (unit := metrics.find(name)) is not None and unit.group == RULES
    ]


def too_general(scores: Scores) -> str:
    """Return the judge metric that finds the answer too general (below the middle of its range), or nothing."""
    for name in TOO_GENERAL:
        value, unit = value_of(scores, name), metrics.find(name)
        if value is not None and unit is not None and value < (unit.low + unit.high) / 2:
            return name
    return ""
