"""Columns of the table of runs: what there is, what varies, which of them a person wants to see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.queries.differences import metric_label
from evaluation.queries.rows import RunRow
from evaluation.queries.settings import HeldSettings, all_settings, setting_label
from evaluation.scoring.scales import scale_of
from evaluation.spec import run_settings
from workbench.services.listing import METRICS, TOOK, scores_of
from workbench.templatetags.workbench import money, plain, seconds, setting_value, thousands

SETTINGS, SCORES, ANSWERING, RUNS = "Settings", "Scores", "Answering", "Runs"
MOST_SETTINGS = 8
"""More settings that vary are one click away, in the chooser."""
_NAMED = 4


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `group` is the part of the chooser that it stands in. `number`: aligned at the right."""

    name: str
    label: str
    group: str
    number: bool = False
    shown: bool = True

    @property
    def is_score(self) -> bool:
        """True for a score with its interval."""
        return self.group == SCORES


@dataclass(frozen=True, slots=True)
class BoardColumns:
    """The columns that are offered, those that are shown, and the settings that all runs share."""

    offered: list[Column]
    same: list[tuple[str, str]]
    """Name and value of each."""
    empty: list[str]
    """Scores that no run has."""

    @property
    def shown(self) -> list[Column]:
        """The columns of the table."""
        return [each for each in self.offered if each.shown]

    @property
    def groups(self) -> dict[str, list[Column]]:
        """The columns to choose from, by part."""
        found: dict[str, list[Column]] = {}
        for each in self.offered:
            found.setdefault(each.group, []).append(each)
        return found

    @property
    def same_first(self) -> str:
        """The first settings that all runs share, in a line."""
        return " · ".join(f"{label} {value}" for label, value in self.same[:_NAMED])


_TOOK: dict[str, tuple[str, Callable[[Any], str]]] = {
    "answers": ("Answers", thousands),
    "latency_p50": ("Median latency", seconds),
    "prompt_tokens": ("Prompt tokens", thousands),
    "completion_tokens": ("Answer tokens", thousands),
    "cost_usd": ("Cost", money),
}


def columns_of(
    rows: Sequence[RunRow], held: HeldSettings, chosen: Mapping[str, bool], wanted: Iterable[str] = ()
) -> BoardColumns:
    """Return the columns for these runs.

    Unless `chosen` says otherwise, by name, settings that vary are shown, the scores that some run has of the five and
    the total, and what answers took. `wanted`: further ones that are drawn or sorted by.
    """
    scores = scores_of(rows)
    default = {*held.varying[:MOST_SETTINGS], *(METRICS if not scores else {*METRICS} & {*scores}), *wanted}
    default |= _told_by(rows)
    offered = [
        Column("tags", "Tags", RUNS),
        Column("note", "Note", RUNS),
        Column("state", "State", RUNS),
        *(Column(name, setting_label(name), SETTINGS, name in held.numeric) for name in held.short),
        *(Column(name, _score_label(name), SCORES, True) for name in dict.fromkeys((*METRICS, *scores))),
        *(Column(name, label, ANSWERING, True) for name, (label, _) in _TOOK.items()),
        Column("failed", "Failed", ANSWERING, True),
        Column("created", "Made", RUNS, True),
    ]
    same = [name for name in held.short if name not in held.varying and len(held.values[name]) == len(rows)]
    return BoardColumns(
        [_shown(each, chosen.get(each.name, each.name in default)) for each in offered],
        [(setting_label(name), setting_value(held.values[name][0])) for name in _first(same)],
        [metric_label(name) for name in METRICS if scores and name not in scores],
    )


def _told_by(rows: Sequence[RunRow]) -> set[str]:
    """Return the columns beside settings and scores in which these runs have something to tell."""
    answering = [row.run.took for row in rows if not row.run.retrieval_only]
    filled = {name for name in TOOK[1:] if any(took.get(name) is not None for took in answering)}
    if any(row.run.tags for row in rows):
        filled.add("tags")
    if any(row.state != "done" or row.failed for row in rows):
        filled |= {"state", "failed"}
    return filled | {"created"}


def _first(names: Sequence[str]) -> list[str]:
    """Return settings with those before the others that the Workbench shows first."""
    declared = run_settings()
    return sorted(names, key=lambda name: name not in declared or not declared[name].info.everyday)


def _score_label(name: str) -> str:
    unit = scale_of(name).unit
    return f"{metric_label(name)} ({unit})" if unit else metric_label(name)


def _shown(column: Column, shown: bool) -> Column:
    return Column(column.name, column.label, column.group, column.number, shown)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the table of runs.

    A score has its interval below it (`low` to `high`) and, where its range has ends, its `share` of it. `reason`: why
    there is no value; `remark`: why it stands beside no other; `best` of its column.
    """

    column: Column
    text: str = ""
    interval: str = ""
    share: float | None = None
    reason: str = ""
    remark: str = ""
    best: bool = False

    @property
    def style(self) -> str:
        """How it is set: classes of its CSS."""
        column = self.column
        classes = {"num": column.number, "score-cell": column.is_score, "best": self.best}
        return " ".join(name for name, wanted in classes.items() if wanted)


def cells_of(
    row: RunRow, columns: Iterable[Column], otherwise: Mapping[str, Mapping[int, str]], best: Mapping[str, float]
) -> list[Cell]:
    """Return a run's cells in the order of the columns."""
    values = all_settings(row)
    return [
        _score_cell(row, each, otherwise.get(each.name, {}), best.get(each.name))
        if each.is_score
        else Cell(each, _text(row, each, values))
        for each in columns
    ]


def _score_cell(row: RunRow, column: Column, otherwise: Mapping[int, str], best: float | None) -> Cell:
    name = column.name
    summary, scale = row.metrics.get(name), scale_of(name)
    if summary is None or summary.mean is None:
        return Cell(column, reason=summary.reason or "not computed" if summary else "not scored")
    low, high, remark = summary.ci_low, summary.ci_high, otherwise.get(row.run.pk, "")
    return Cell(
        column,
        text=scale.text(summary.mean),
        interval="" if low is None or high is None else f"{scale.text(low)}–{scale.text(high)}",
        share=scale.place(summary.mean),
        remark=remark,
        best=not remark and best is not None and row.mean(name) == best,
    )


def _text(row: RunRow, column: Column, values: Mapping[str, Any]) -> str:
    name = column.name
    if name in _TOOK:
        value = row.run.took.get(name)
        return "—" if value is None else _TOOK[name][1](value)
    if name == "failed":
        return thousands(row.failed)
    if name == "note":
        return row.run.note
    value = values.get(name)
    return plain(value) if isinstance(value, str) and value else setting_value(value)
