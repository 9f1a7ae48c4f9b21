"""Runs as a table for people who compute: a row a run, with settings, scores, and what the answers took; and a pivot
of two settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean
from typing import Any

from evaluation.queries.rows import RunRow
from evaluation.queries.settings import all_settings, as_number, setting_label
from evaluation.scoring.scales import scale_of
from evaluation.scoring.summaries import TOTAL
from evaluation.spec import HEADLINE, run_settings

_TOOK = ("latency_p50", "prompt_tokens", "completion_tokens", "cost_usd")
_ENDS = ("", "_low", "_high", "_n")

Table = tuple[list[str], list[list[Any]]]
"""Names of the columns, and the rows."""


def run_frame(rows: Sequence[RunRow]) -> Table:
    """Return runs × settings × scores: each score with the ends of its 95 % interval and n; None where unknown."""
    values = [all_settings(row) for row in rows]
    settings = [name for name in ("corpus", "testset", *run_settings()) if any(name in each for each in values)]
    held = dict.fromkeys([TOTAL, *HEADLINE, *(name for row in rows for name in row.metrics)])
    header = ["run", "name", "state", "tags", "note", "created", "questions", "failed", *settings]
    header += [f"{name}{end}" for name in held for end in _ENDS]
    # A metric such as latency_s stands beside the median that every run has.
    took = [name for name in _TOOK if name not in held]
    return [*header, *took], [
        [
            row.run.pk, str(row.run), row.state, ", ".join(row.run.tags), row.run.note, row.run.created.isoformat(),
            row.answers, row.failed, *map(own.get, settings),
            *chain.from_iterable(_score(row, name) for name in held), *map(row.run.took.get, took),
        ]
        for row, own in zip(rows, values, strict=True)
    ]  # fmt: skip


def _score(row: RunRow, name: str) -> tuple[float | None, float | None, float | None, int | None]:
    found = row.metrics.get(name)
    return (found.mean, found.ci_low, found.ci_high, found.n) if found else (None, None, None, None)


@dataclass(frozen=True, slots=True)
class PivotCell:
    """The runs with two values of two settings: the mean of their scores, and how many they are."""

    mean: float
    runs: int


@dataclass(frozen=True, slots=True)
class Pivot:
    """The mean score of runs by the values of two settings, `down` the side and `across`; None where no run is."""

    down: str
    across: str
    score: str
    lines: list[Any]
    columns: list[Any]
    cells: list[list[PivotCell | None]]

    @property
    def best(self) -> float | None:
        """The best mean: of some scores the lowest."""
        means = [cell.mean for line in self.cells for cell in line if cell]
        return (max if scale_of(self.score).higher_is_better else min)(means, default=None)

    @property
    def by_line(self) -> list[tuple[Any, list[PivotCell | None]]]:
        """Each value down the side with its cells."""
        return list(zip(self.lines, self.cells, strict=True))

    @property
    def table(self) -> Table:
        """The means as a table."""
        header = [f"{setting_label(self.down)} \\ {setting_label(self.across)}", *map(str, self.columns)]
        return header, [
            [line, *(cell.mean if cell else None for cell in cells)]
            for line, cells in zip(self.lines, self.cells, strict=True)
        ]


def pivot(rows: Sequence[RunRow], down: str, across: str, score: str) -> Pivot:
    """Return the mean of a score over the runs with each two values of two settings."""
    means: dict[tuple[str, str], list[float]] = {}
    values: dict[str, dict[str, Any]] = {down: {}, across: {}}
    for row in rows:
        own, mean = all_settings(row), row.mean(score)
        if mean is None or own.get(down) is None or own.get(across) is None:
            continue
        means.setdefault((str(own[down]), str(own[across])), []).append(mean)
        for name in (down, across):
            values[name][str(own[name])] = own[name]
    lines, columns = (sorted(values[name].values(), key=_in_order) for name in (down, across))
    cells = [[_cell(means.get((str(line), str(column)))) for column in columns] for line in lines]
    return Pivot(down, across, score, lines, columns, cells)


def _cell(means: list[float] | None) -> PivotCell | None:
    return PivotCell(fmean(means), len(means)) if means else None


def _in_order(value: Any) -> tuple[bool, float, str]:
    number = as_number(value)
    return number is None, number or 0.0, str(value)
