"""Which metrics can give a number here, and why the others cannot: in words, with the mend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from evaluation.metrics.base import Metric, kind_words, make_metric
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError

NO_JUDGE = "choose a judge"
NO_CONTEXTS = "the model answers without context: switch Use context on"
NO_REFERENCES = "the test set has no reference answers: add some on the page Test sets"
NO_EVIDENCE = "the test set has no evidence in the documents: generate one, or import spans"
NO_OTHER = "it compares the answers of two runs: see Compare"


@dataclass(frozen=True)
class Available:
    """What a scoring has at hand.

    `lacking`: inputs, by the names of `INPUTS`, that no row will have, each with its reason. `kinds`: the kinds of
    question that are asked, None where that is not known.
    """

    lacking: Mapping[str, str] = field(default_factory=dict)
    kinds: frozenset[str] | None = None

    def with_judge(self) -> Available:
        """Return the same with a judge."""
        return replace(self, lacking={name: why for name, why in self.lacking.items() if name != "judge"})


def unmet(metric: Metric, available: Available) -> str:
    """Return why a metric cannot give a number with what is at hand, or an empty string."""
    problem = metric.missing() or metric.unready()
    if problem:
        return problem
    lacking = [available.lacking[name] for name in sorted(metric.needs) if name in available.lacking]
    if lacking:
        return lacking[0]
    if available.kinds is not None and not metric.kinds & available.kinds:
        return f"the test set has no {kind_words(metric.kinds)} questions"
    return ""


def without_option(name: str, spec: EvaluationSpec) -> str:
    """Return what to set before a metric has anything to score, or an empty string."""
    metric = make_metric(name, spec)
    wanted = metric.needs_option
    if not wanted or str(getattr(metric.options, wanted)).strip():
        return ""
    title = type(metric.options).model_fields[wanted].title or wanted
    return f"The metric {name} has no {title.lower()}. Set its option {wanted}, or leave the metric out."


def check_options(spec: EvaluationSpec) -> None:
    """Raise ConfigError for a chosen metric that has nothing to score yet."""
    for name in spec.metrics:
        problem = without_option(name, spec)
        if problem:
            raise ConfigError(problem, "metric_options")
