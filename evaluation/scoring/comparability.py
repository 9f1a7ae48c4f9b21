"""Whether two scorings measured the same thing: what about them makes the values of a metric incomparable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from evaluation.metrics.base import AgreementMetric, Metric, metrics
from evaluation.scoring.summaries import TOTAL
from evaluation.spec import (
    AGREEMENT,
    BOUNDING,
    HEADLINE,
    JUDGE,
    REFUSALS,
    RIGHT,
    SCORES,
    EvaluationSpec,
    evaluation_settings,
)
from rag_pipeline.setting_fields import Setting


@dataclass(frozen=True)
class HowScored:
    """What a scoring depends on: its settings, the text of each prompt that its judge was asked with, its formulas.

    `formulas`: the revision of each metric's formula, where it was not the first.
    """

    spec: EvaluationSpec
    prompts: Mapping[str, str] = field(default_factory=dict)
    formulas: Mapping[str, int] = field(default_factory=dict)

    def older(self, name: str = "") -> list[type[Metric]]:
        """Return the metrics whose formula is another by now: all that it holds, or those that go into `name`.

        Scoring again brings the present formulas.
        """
        spec = self.spec
        names = _read_metrics(name, spec.agreement) if name else {*HEADLINE, spec.agreement, *spec.metrics}
        found = [(each, metrics.find(each)) for each in sorted(names)]
        return [unit for each, unit in found if unit is not None and unit.revision != self.formulas.get(each, 1)]


def measured_differently(name: str, a: HowScored, b: HowScored) -> list[str]:
    """Return what differs and what the metric called `name` reads: settings as they are called on screen, prompts,
    formulas.

    An empty list means that its values under the two can stand beside each other.
    """
    read = _read_metrics(name, a.spec.agreement) | _read_metrics(name, b.spec.agreement)
    judged = _judged(read)
    fields = evaluation_settings(SCORES, REFUSALS)
    fields |= evaluation_settings(AGREEMENT) if len(read) > 1 else {}
    fields |= evaluation_settings(JUDGE) if judged else {}
    fields |= _read_by_bounding(a.spec, b.spec) if "knowledge_bounding" in read else {}
    differing = [each.title for name, each in fields.items() if getattr(a.spec, name) != getattr(b.spec, name)]
    options = [each for each in sorted(read) if a.spec.metric_options.get(each) != b.spec.metric_options.get(each)]
    changed = [each for each, text in a.prompts.items() if b.prompts.get(each, text) != text] if judged else []
    return [
        *differing,
        *(f"options of {metrics.get(each).label}" for each in options),
        *(f"the judge's prompt {each}" for each in changed),
        *(f"the formula of {label}" for label in other_formulas(name, a, b)),
    ]


def _read_by_bounding(a: EvaluationSpec, b: EvaluationSpec) -> dict[str, Setting]:
    """Return what knowledge bounding reads: the agreement, and from where it is right, only where that counts."""
    right = "right" in (a.bounding, b.bounding)
    return evaluation_settings(BOUNDING, RIGHT, AGREEMENT) if right else evaluation_settings(BOUNDING)


def other_formulas(name: str, a: HowScored, b: HowScored) -> list[str]:
    """Return the labels of the metrics that go into the one called `name`, or into the total, by another formula."""
    one, other = (formulas_read(name, each.spec.agreement, each.formulas) for each in (a, b))
    return [metrics.get(each).label for each in sorted(one.keys() & other.keys()) if one[each] != other[each]]


def formulas_read(name: str, agreement: str, formulas: Mapping[str, int]) -> dict[str, int]:
    """Return the revision of each formula that goes into the values of the metric called `name`, or into the total."""
    return {each: formulas.get(each, 1) for each in sorted(_read_metrics(name, agreement))}


def formulas_in_force(names: Iterable[str]) -> dict[str, int]:
    """Return the present revision of each metric's formula, where it is not the first: what a scoring keeps."""
    found = {name: metrics.get(name).revision for name in names}
    return {name: revision for name, revision in found.items() if revision > 1}


def _read_metrics(name: str, agreement: str) -> set[str]:
    """Return the metric itself and, for recall and robustness, the agreement that they are made of; for the total all
    five.
    """
    if name == TOTAL:
        return {*HEADLINE, agreement}
    return {name, agreement} if issubclass(metrics.get(name), AgreementMetric) else {name}


def _judged(names: set[str]) -> bool:
    found = [metrics.find(name) for name in names]
    return any(unit is not None and "judge" in unit.needs for unit in found)
