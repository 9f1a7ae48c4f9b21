"""What failed, and where, over a whole run: the flow from question to correct answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.metrics.base import metrics
from evaluation.models import FAILURE_POINT, MetricScore, Run, Scoring
from evaluation.queries.runs import summary_of
from evaluation.scoring.diagnosis.advice import Advice, advice
from evaluation.scoring.diagnosis.points import LABELS, ORDER, PASSED, SPEAKING
from evaluation.spec import FAILURES, evaluation_settings
from evaluation.types import Summary


@dataclass(frozen=True, slots=True)
class FlowStage:
    """A failure point on the way.

    `failed` answers stop here and `left` go on; `lost` is the score that those who stop lost, `share` its
    part of all that was lost (None where nothing was). `passed` names what those have who go on.
    """

    point: int
    label: str
    passed: str
    failed: int
    left: int
    lost: float
    share: float | None
    advice: list[Advice]


@dataclass(frozen=True, slots=True)
class FailureFlow:
    """The flow of a run's answers. `asked`: those without an error, which were `errors`.

    `small`: answers that lost too little to count, and `small_share` their part of the lost score. `worst`: where most
    of it was lost, None where nothing failed. `unknown`: why ranks are not known, or empty.
    `limits`: the thresholds of the scoring by setting.
    """

    asked: int
    errors: int
    stages: list[FlowStage]
    failed: int
    right: int
    lost: float
    small: int
    small_share: float | None
    worst: FlowStage | None
    unknown: str
    limits: dict[str, float]


def failure_flow(run: Run) -> FailureFlow | None:
    """Return the flow of the current scoring, in two queries; None where it was scored before failure points."""
    scoring = run.current_scoring
    if scoring is None:
        return None
    rows = list(_stored(scoring))
    if not rows:
        return None
    kept = [(point, details) for point, _, details, error in rows if not error]
    total = _lost(details for _, details in kept)
    stages = _stages(kept, total, run.pipeline)
    small = [details["lost"] for point, details in kept if point is None and details.get("lost")]
    failed = [stage for stage in stages if stage.failed]
    return FailureFlow(
        asked=len(kept),
        errors=len(rows) - len(kept),
        stages=stages,
        failed=len(kept) - stages[-1].left,
        right=stages[-1].left,
        lost=total,
        small=len(small),
        small_share=sum(small) / total if total else None,
        worst=max(failed, key=lambda stage: (stage.lost, stage.failed), default=None),
        limits=_limits(scoring),
        unknown=next((reason for _, reason, details, _ in rows if details.get("cause") == "unknown"), ""),
    )


@dataclass(frozen=True, slots=True)
class SpeakingMetric:
    """A metric in which a failure point shows; `summary` is None where the scoring does not hold it."""

    key: str
    label: str
    summary: Summary | None


def speaking_metrics(scoring: Scoring) -> dict[int, list[SpeakingMetric]]:
    """Return, by failure point, the metrics that speak for it, those of the scoring first."""
    held = {row.metric: summary_of(row) for row in scoring.metrics.filter(group="")}
    found = {}
    for point, names in SPEAKING.items():
        speaking = [SpeakingMetric(name, metrics.get(name).label, held.get(name)) for name in names]
        found[point] = sorted(speaking, key=lambda each: each.summary is None)
    return found


def _limits(scoring: Scoring) -> dict[str, float]:
    return {name: scoring.spec.get(name, each.default) for name, each in evaluation_settings(FAILURES).items()}


def _stored(scoring: Scoring) -> Iterator[tuple[int | None, str, Mapping[str, Any], str]]:
    """Yield the point, the reason and the details of each answer's failure, and its error."""
    found = MetricScore.objects.filter(scoring=scoring, metric=FAILURE_POINT).order_by("answer_id")
    for value, *others in found.values_list("value", "reason", "details", "answer__error"):
        yield None if value is None else int(value), *others


def _lost(found: Iterable[Mapping[str, Any]]) -> float:
    return sum(details.get("lost") or 0.0 for details in found)


def _stages(
    kept: Sequence[tuple[int | None, Mapping[str, Any]]], total: float, settings: Mapping[str, Any]
) -> list[FlowStage]:
    stages, left = [], len(kept)
    for point in ORDER:
        found = [details for own, details in kept if own == point]
        lost = _lost(found)
        left -= len(found)
        stages.append(
            FlowStage(
                point=point,
                label=LABELS[point],
                passed=PASSED[point],
                failed=len(found),
                left=left,
                lost=lost,
                share=lost / total if total else None,
                advice=advice(point, found, settings),
            )
        )
    return stages
