"""Sorted, filtered lists of runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evaluation.comparable import HowScored, measured_differently
from evaluation.metrics.base import metrics
from evaluation.queries import RunRow
from evaluation.scales import scale_of
from evaluation.spec import HEADLINE, EvaluationSpec

METRICS = ("total", *HEADLINE)
_SETTINGS = ("chunk_size", "top_k", "prompt_name", "llm")


def sorted_rows(rows: Iterable[RunRow], sort: str) -> list[RunRow]:
    """Sort runs by a score, a setting, `name`, `state` or `created`; “-” first turns it round, empty values last."""
    rows, name = list(rows), sort.removeprefix("-")
    present = [row for row in rows if _key(row, name) is not None]
    absent = [row for row in rows if _key(row, name) is None]
    return sorted(present, key=lambda row: _key(row, name), reverse=sort.startswith("-")) + absent


def matching(rows: Iterable[RunRow], text: str) -> list[RunRow]:
    """Return the runs whose name or note holds `text`."""
    wanted = text.casefold()
    return [row for row in rows if wanted in f"{row.run} {row.run.note}".casefold()]


def _key(row: RunRow, name: str) -> Any:
    if name in METRICS or metrics.find(name) is not None:
        summary = row.metrics.get(name)
        return summary.mean if summary else None
    if name in _SETTINGS:
        value = row.settings.get(name)
        return value.casefold() if isinstance(value, str) else value
    if name == "name":
        return str(row.run).casefold()
    if name == "state":
        return row.state
    return row.run.created


def best_of(rows: Iterable[RunRow], further: str = "") -> dict[str, float]:
    """Return the best mean of each score, and of a further metric. Runs that asked only part do not compete."""
    rows = [row for row in rows if not row.run.limit]
    best: dict[str, float] = {}
    for name in (*METRICS, *([further] if further else [])) if len(rows) > 1 else ():
        means = [summary.mean for row in rows if (summary := row.metrics.get(name)) and summary.mean is not None]
        if means:
            best[name] = max(means) if scale_of(name).higher_is_better else min(means)
    return best


def further_of(rows: Iterable[RunRow]) -> list[str]:
    """Return the metrics beside the five that at least one of the runs has, by their names on screen."""
    found = {name for row in rows for name, summary in row.metrics.items() if summary.mean is not None}
    return sorted(
        (name for name in found - set(METRICS) if metrics.find(name)), key=lambda name: metrics.get(name).label
    )


def measured_otherwise(rows: Iterable[RunRow], name: str) -> dict[int, str]:
    """Return the runs, by id, whose values of a metric cannot stand beside those of the newest one, each with why."""
    having = [row for row in rows if name in row.metrics]
    if not having or name in METRICS:
        return {}
    newest = _how_scored(max(having, key=lambda row: row.run.pk))
    differing = {row.run.pk: measured_differently(name, newest, _how_scored(row)) for row in having}
    return {pk: f"measured otherwise than in the newest run: {', '.join(why)}" for pk, why in differing.items() if why}


def _how_scored(row: RunRow) -> HowScored:
    return HowScored(EvaluationSpec.create(row.evaluation), row.prompts)
