"""Sorted, filtered lists of runs, and which of their values can stand beside each other."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from evaluation.metrics.base import metrics
from evaluation.queries.rows import RunRow
from evaluation.queries.settings import all_settings, as_number
from evaluation.scoring.comparability import HowScored, formulas_read, measured_differently
from evaluation.scoring.scales import scale_of
from evaluation.spec import HEADLINE, run_settings

METRICS = ("total", *HEADLINE)
TOOK = ("answers", "latency_p50", "prompt_tokens", "completion_tokens", "cost_usd")
"""What a run keeps of what its answers took."""
OLDER = "computed by an older formula: score this run again"
Otherwise = Mapping[str, Mapping[int, str]]
"""Why the values of some runs, by id, cannot stand beside those of the newest one, by metric."""
_NONE: Mapping[str, Container[int]] = MappingProxyType({})


def sorted_rows(rows: Iterable[RunRow], sort: str, otherwise: Mapping[str, Container[int]] = _NONE) -> list[RunRow]:
    """Sort runs by a score, a setting, what they took, `name`, `state`, `tags` or `created`; “-” first turns it round.

    Empty values come last, with those of runs that measured the score `otherwise`.
    """
    rows, name = list(rows), sort.removeprefix("-")
    hidden, key = otherwise.get(name, ()), _key(name)
    keys: dict[int, Any] = {row.run.pk: None if row.run.pk in hidden else key(row) for row in rows}
    present = [row for row in rows if keys[row.run.pk] is not None]
    absent = [row for row in rows if keys[row.run.pk] is None]
    return sorted(present, key=lambda row: keys[row.run.pk], reverse=sort.startswith("-")) + absent


def matching(rows: Iterable[RunRow], text: str) -> list[RunRow]:
    """Return the runs whose name, note or tags hold `text`."""
    wanted = text.casefold()
    return [row for row in rows if wanted in f"{row.run} {row.run.note} {' '.join(row.run.tags)}".casefold()]


def _key(name: str) -> Callable[[RunRow], Any]:
    """Return what to sort runs by; it gives None for a run without it."""
    if name in METRICS or metrics.find(name) is not None:
        return lambda row: row.mean(name)
    if name in TOOK:
        return lambda row: row.run.took.get(name)
    if name in run_settings() or name in ("corpus", "testset"):
        return lambda row: _in_order(all_settings(row).get(name))
    if name == "name":
        return lambda row: str(row.run).casefold()
    if name == "tags":
        return lambda row: sorted(map(str.casefold, row.run.tags)) or None
    if name in ("state", "failed"):
        return lambda row: getattr(row, name)
    return lambda row: row.run.created


def _in_order(value: Any) -> tuple[bool, float, str] | None:
    """Return a setting's value as it is sorted: numbers by size, then the texts."""
    if value is None:
        return None
    number = as_number(value)
    return (number is None, number or 0.0, str(value).casefold())


def best_of(rows: Iterable[RunRow], names: Iterable[str], otherwise: Otherwise) -> dict[str, float]:
    """Return the best mean of each metric.

    Runs that asked only part do not compete, nor do those that measured a score `otherwise`.
    """
    best: dict[str, float] = {}
    whole = [row for row in rows if not row.run.limit]
    for name in names if len(whole) > 1 else ():
        hidden = otherwise.get(name, {})
        means = [mean for row in whole if row.run.pk not in hidden and (mean := row.mean(name)) is not None]
        if means:
            best[name] = max(means) if scale_of(name).higher_is_better else min(means)
    return best


def scores_of(rows: Iterable[RunRow]) -> list[str]:
    """Return the metrics that at least one of the runs has: total, the five, then others by their names on screen."""
    found = {name for row in rows for name, summary in row.metrics.items() if summary.mean is not None}
    return [name for name in METRICS if name in found] + _further(found)


def further_of(rows: Iterable[RunRow]) -> list[str]:
    """Return the metrics beside the five that at least one of the runs has, by their names on screen."""
    return _further({name for row in rows for name, summary in row.metrics.items() if summary.mean is not None})


def _further(found: set[str]) -> list[str]:
    known = [name for name in found - set(METRICS) if metrics.find(name)]
    return sorted(known, key=lambda name: metrics.get(name).label)


def measured_otherwise(rows: Sequence[RunRow], names: Iterable[str]) -> dict[str, dict[int, str]]:
    """Return for each metric the runs, by id, whose values cannot stand beside those of the newest one, each with why.

    The newest is taken of those with the newest formula.
    """
    ways = _ways(rows)
    return {name: _otherwise(name, [way for way in ways if any(name in row.metrics for row in way)]) for name in names}


def _ways(rows: Sequence[RunRow]) -> list[list[RunRow]]:
    """Return the scored runs, those that were scored alike together: there are few ways among a thousand runs."""
    found: dict[str, list[RunRow]] = {}
    written: dict[tuple[int, ...], str] = {}  # those that were read together share their values
    for row in rows:
        if row.metrics:
            way = (row.evaluation, row.prompts, row.formulas)
            same = tuple(map(id, way))
            found.setdefault(written.get(same) or written.setdefault(same, repr(way)), []).append(row)
    return list(found.values())


def _otherwise(name: str, ways: Sequence[Sequence[RunRow]]) -> dict[int, str]:
    if len(ways) < 2:
        return {}
    hows: list[HowScored] = [way[0].how for way in ways]
    formulas = [formulas_read(name, way[0].agreement, way[0].formulas) for way in ways]
    newest = max(range(len(ways)), key=lambda at: (list(formulas[at].values()), max(row.run.pk for row in ways[at])))
    run = max((row.run for row in ways[newest]), key=lambda each: each.pk)
    found: dict[int, str] = {}
    for at, way in enumerate(ways):
        shared = formulas[at].keys() & formulas[newest].keys()
        older = any(formulas[at][each] < formulas[newest][each] for each in shared)
        why = measured_differently(name, hows[newest], hows[at]) if at != newest else []
        if why:
            words = OLDER if older else f"measured otherwise than in {run}: {', '.join(why)}"
            found |= {row.run.pk: words for row in way}
    return found


def with_older_formula(rows: Iterable[RunRow], otherwise: Mapping[int, str]) -> list[RunRow]:
    """Return the runs, of those that `measured_otherwise` has named, that scoring again brings back."""
    return [row for row in rows if otherwise.get(row.run.pk) == OLDER]
