"""Sorted, filtered lists of runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evaluation.queries import RunRow
from evaluation.spec import HEADLINE

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
    if name in METRICS:
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


def best_of(rows: Iterable[RunRow]) -> dict[str, float]:
    """Return the best mean of each score, to mark it in a table. Runs that asked only part do not compete."""
    rows = [row for row in rows if not row.run.limit]
    best: dict[str, float] = {}
    for name in METRICS if len(rows) > 1 else ():
        means = [summary.mean for row in rows if (summary := row.metrics.get(name)) and summary.mean is not None]
        if means:
            best[name] = max(means)
    return best
