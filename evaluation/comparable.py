"""Whether two scorings measured the same thing: what about them makes the values of a metric incomparable."""

from __future__ import annotations

from evaluation.metrics.base import AgreementMetric, metrics
from evaluation.spec import EvaluationSpec

_SHARED = ("eval_embedding", "refusal_threshold", "refusal_list", "refusal_patterns")
_JUDGE = ("judge", "judge_votes")


def scored_differently(name: str, a: EvaluationSpec, b: EvaluationSpec) -> list[str]:
    """Return the settings, as they are called on screen, that differ and that the metric called `name` reads."""
    read = _read_metrics(name, a, b)
    fields = [*_SHARED, *(("agreement",) if len(read) > 1 else ()), *(_JUDGE if _judged(read) else ())]
    differing = [
        EvaluationSpec.model_fields[field].title or field for field in fields if getattr(a, field) != getattr(b, field)
    ]
    return differing + [
        f"options of {metrics.get(each).label}"
        for each in sorted(read)
        if a.metric_options.get(each) != b.metric_options.get(each)
    ]


def needs_judge(name: str, spec: EvaluationSpec) -> bool:
    """Return True when a judge is asked for the metric called `name`."""
    return _judged(_read_metrics(name, spec, spec))


def _read_metrics(name: str, a: EvaluationSpec, b: EvaluationSpec) -> set[str]:
    """Return the metric itself and, for recall and robustness, the agreement that they are made of."""
    unit = metrics.get(name)
    return {name, a.agreement, b.agreement} if issubclass(unit, AgreementMetric) else {name}


def _judged(names: set[str]) -> bool:
    found = [metrics.find(name) for name in names]
    return any(unit is not None and "judge" in unit.needs for unit in found)
