"""Whether two scorings measured the same thing: what about them makes the values of a metric incomparable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.metrics.base import AgreementMetric, metrics
from evaluation.spec import EvaluationSpec

_SHARED = ("eval_embedding", "refusal_threshold", "refusal_list", "refusal_patterns")
_JUDGE = ("judge", "judge_votes")


@dataclass(frozen=True)
class HowScored:
    """What a scoring depends on: its settings, and the text of each prompt that its judge was asked with."""

    spec: EvaluationSpec
    prompts: Mapping[str, str] = field(default_factory=dict)


def measured_differently(name: str, a: HowScored, b: HowScored) -> list[str]:
    """Return what differs and what the metric called `name` reads: settings as they are called on screen, prompts.

    An empty list means that its values under the two can stand beside each other.
    """
    read = _read_metrics(name, a.spec, b.spec)
    judged = _judged(read)
    fields = [*_SHARED, *(("agreement",) if len(read) > 1 else ()), *(_JUDGE if judged else ())]
    differing = [
        EvaluationSpec.model_fields[each].title or each
        for each in fields
        if getattr(a.spec, each) != getattr(b.spec, each)
    ]
    options = [each for each in sorted(read) if a.spec.metric_options.get(each) != b.spec.metric_options.get(each)]
    changed = [each for each, text in a.prompts.items() if b.prompts.get(each, text) != text] if judged else []
    return [
        *differing,
        *(f"options of {metrics.get(each).label}" for each in options),
        *(f"the judge's prompt {each}" for each in changed),
    ]


def _read_metrics(name: str, a: EvaluationSpec, b: EvaluationSpec) -> set[str]:
    """Return the metric itself and, for recall and robustness, the agreement that they are made of."""
    unit = metrics.get(name)
    return {name, a.agreement, b.agreement} if issubclass(unit, AgreementMetric) else {name}


def _judged(names: set[str]) -> bool:
    found = [metrics.find(name) for name in names]
    return any(unit is not None and "judge" in unit.needs for unit in found)
