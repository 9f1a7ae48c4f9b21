"""Facts about a run that its page shows beside the scores."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Q, Sum

from evaluation.metrics.base import Metric, metrics
from evaluation.models import Question, Run, RunMetric
from evaluation.queries.rows import GroupValue, ScoreCard
from evaluation.queries.settings import setting_label
from evaluation.spec import JUDGE, evaluation_settings
from rag_pipeline.settings.catalogue import pipeline_settings


@dataclass(frozen=True, slots=True)
class Fact:
    """A setting or a measurement with its name."""

    label: str
    value: Any


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Settings as they were, and what the answers took. `prompt` stands apart: it is long.

    `kept`: answers for which no model was asked, since the same had been asked earlier.
    """

    settings: list[Fact]
    scoring: list[Fact]
    versions: list[Fact]
    prompt: str
    answers: int
    slowest: float | None
    cost: float | None
    tokens: int | None
    kept: int


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """The parts of a score: those that tell most (`first`), and all others."""

    card: ScoreCard
    first: list[GroupValue]
    others: list[GroupValue]


@dataclass(frozen=True, slots=True)
class FurtherScore:
    """A metric beside the five, over the whole run. `definition`: what an aspect was defined as for this run."""

    metric: type[Metric]
    summary: RunMetric
    definition: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error message and how many questions it stopped."""

    message: str
    questions: int


@dataclass(frozen=True, slots=True)
class Around:
    """The questions before and after one in its run."""

    previous: int | None
    next: int | None


def run_facts(run: Run) -> RunFacts:
    """Return the copy of the settings and the totals of time, tokens and money."""
    totals = run.answers.aggregate(
        count=Count("id"),
        slowest=Max("latency_s"),
        cost=Sum("cost_usd"),
        prompt=Sum("prompt_tokens"),
        completion=Sum("completion_tokens"),
        kept=Count("id", filter=Q(details__kept=True)),
    )
    scoring = run.current_scoring
    asked = run.options | {"limit": run.limit or "all"}
    if run.contexts_origin:
        asked["contexts_from"] = run.contexts_origin
    long = {name for name, each in pipeline_settings().items() if each.info.lines > 1}
    return RunFacts(
        settings=_facts({name: value for name, value in run.pipeline.items() if name not in long} | asked),
        scoring=_facts(scoring.spec if scoring else run.evaluation),
        versions=[Fact(name, value) for name, value in sorted(run.versions.items())],
        prompt=run.pipeline.get("prompt") or run.pipeline.get("prompt_without_context", ""),
        answers=totals["count"],
        slowest=totals["slowest"],
        cost=totals["cost"],
        tokens=None if totals["prompt"] is None else totals["prompt"] + (totals["completion"] or 0),
        kept=totals["kept"],
    )


def score_parts(cards: Sequence[ScoreCard]) -> list[ScoreParts]:
    """Return the parts of each score that has any: robustness by twin and slip, bounding by near and far at first."""
    result = []
    for card in cards:
        first = [each for each in card.groups if _tells_most(card.metric, each.group)]
        others = [each for each in card.groups if each not in first]
        if card.groups:
            result.append(ScoreParts(card, first, others))
    return result


def _tells_most(metric: str, group: str) -> bool:
    if metric == "robustness":
        return True
    return metric == "knowledge_bounding" and group in ("attempted", "right", "refused", "near", "far")


def failures(run: Run) -> list[Failure]:
    """Return the error messages of failed questions, the most frequent first."""
    rows = run.answers.exclude(error="").order_by().values_list("error").annotate(count=Count("id"))
    return [Failure(message, count) for message, count in rows.order_by("-count", "error")[:10]]


def neighbours(run: Run, question: Question) -> Around:
    """Return the ids of the questions beside one, in the order of the test set."""
    asked = Question.objects.filter(answers__run=run).distinct()
    before = asked.filter(position__lt=question.position).order_by("-position").values_list("pk", flat=True).first()
    after = asked.filter(position__gt=question.position).order_by("position").values_list("pk", flat=True).first()
    return Around(before, after)


def _facts(values: Mapping[str, Any]) -> list[Fact]:
    # The judge has a card of its own, with what it took.
    shown = {name: value for name, value in values.items() if name not in evaluation_settings(JUDGE)}
    if "judge" in values and not values["judge"]:
        shown["judge"] = "none"
    if "metrics" in shown:
        shown["metrics"] = ", ".join(shown["metrics"]) or "only the five"
    if "metric_options" in shown:
        shown["metric_options"] = _options(shown["metric_options"])
    return [Fact(setting_label(name), _shown(value)) for name, value in shown.items()]


def _options(given: Mapping[str, Mapping[str, Any]]) -> str:
    """Return options as max_words: limit 50; must_match: pattern [0-9]."""
    of_each = [
        f"{name}: {', '.join(f'{option} {_shown(value)}' for option, value in options.items())}"
        for name, options in given.items()
    ]
    return "; ".join(of_each) or "as shipped"


def _shown(value: Any) -> Any:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, dict):
        return ", ".join(f"{name} {part:g}" for name, part in value.items()) or "all 1"
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return f"{value:g}" if isinstance(value, float) else value


def further_scores(run: Run) -> list[FurtherScore]:
    """Return the metrics beside the five that the run is scored with, in the order they were asked for."""
    scoring = run.current_scoring
    if scoring is None:
        return []
    names = scoring.spec.get("metrics", ())
    rows = {row.metric: row for row in scoring.metrics.filter(metric__in=names, group="")}
    options = scoring.spec.get("metric_options", {})
    return [
        FurtherScore(metrics.get(name), rows[name], options.get(name, {}).get("definition", ""))
        for name in names
        if name in rows and metrics.find(name)
    ]
