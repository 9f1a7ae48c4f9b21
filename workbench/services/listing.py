"""Sorted, filtered lists of runs."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from evaluation.metrics.base import metrics
from evaluation.queries.rows import RunRow
from evaluation.scoring.comparability import formulas_read, measured_differently
from evaluation.scoring.scales import scale_of
from evaluation.spec import HEADLINE
from rag_pipeline.settings.catalogue import pipeline_settings

METRICS = ("total", *HEADLINE)
OLDER = "computed by an older formula: score this run again"


def sorted_rows(
    rows: Iterable[RunRow], sort: str, otherwise: Mapping[str, Container[int]] = MappingProxyType({})
) -> list[RunRow]:
    """Sort runs by a score, a setting, `name`, `state` or `created`; “-” first turns it round.

    Empty values come last, with those of runs that measured the score `otherwise`.
    """
    rows, name = list(rows), sort.removeprefix("-")
    hidden, key = otherwise.get(name, ()), _key(name)
    present = [row for row in rows if row.run.pk not in hidden and key(row) is not None]
    absent = [row for row in rows if row.run.pk in hidden or key(row) is None]
    return sorted(present, key=key, reverse=sort.startswith("-")) + absent


def matching(rows: Iterable[RunRow], text: str) -> list[RunRow]:
    """Return the runs whose name or note holds `text`."""
    wanted = text.casefold()
    return [row for row in rows if wanted in f"{row.run} {row.run.note}".casefold()]


def _key(name: str) -> Callable[[RunRow], Any]:
    """Return what to sort runs by; it gives None for a run without it."""
    if name in METRICS or metrics.find(name) is not None:
        return lambda row: summary.mean if (summary := row.metrics.get(name)) else None
    if name in pipeline_settings():
        return lambda row: value.casefold() if isinstance(value := row.settings.get(name), str) else value
    if name == "name":
        return lambda row: str(row.run).casefold()
    if name == "state":
        return lambda row: row.state
    return lambda row: row.run.created


def best_of(
    rows: Iterable[RunRow], further: str = "", otherwise: Mapping[str, Container[int]] = MappingProxyType({})
) -> dict[str, float]:
    """Return the best mean of each score, and of a further metric.

    Runs that asked only part do not compete, nor do those that measured a score `otherwise`.
    """
    best: dict[str, float] = {}
    whole = [row for row in rows if not row.run.limit]
    for name in (*METRICS, *([further] if further else [])) if len(whole) > 1 else ():
        means = [
            summary.mean
            for row in whole
            if row.run.pk not in otherwise.get(name, ())
            and (summary := row.metrics.get(name))
            and summary.mean is not None
        ]
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
    """Return the runs, by id, whose values of a score cannot stand beside those of the newest one, each with why.

    The newest is taken of those with the newest formula. The five scores and the total are held apart by their formulas
    alone: pages choose the runs that they show them of.
    """
    having = [row for row in rows if name in row.metrics]
    if not having:
        return {}
    formulas = {row.run.pk: formulas_read(name, row.agreement, row.formulas) for row in having}
    newest = max(having, key=lambda row: (list(formulas[row.run.pk].values()), row.run.pk))
    found = {row.run.pk: OLDER for row in having if formulas[row.run.pk] != formulas[newest.run.pk]}
    for row in having if name not in METRICS else ():
        why = measured_differently(name, newest.how, row.how)
        if why and row.run.pk not in found:
            found[row.run.pk] = f"measured otherwise than in {newest.run}: {', '.join(why)}"
    return found


def with_older_formula(rows: Iterable[RunRow], otherwise: Mapping[int, str]) -> list[RunRow]:
    """Return the runs, of those that `measured_otherwise` has named, that scoring again brings back."""
    return [row for row in rows if otherwise.get(row.run.pk) == OLDER]
