"""Columns of the table of runs: what there is, what varies, which of them a person wants to see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.queries.differences import metric_label
from evaluation.queries.rows import RunRow
from evaluation.queries.settings import all_settings, as_number, setting_label
from evaluation.scoring.scales import scale_of
from evaluation.spec import run_settings
from workbench.services.listing import METRICS, scores_of
from workbench.templatetags.workbench import money, plain, seconds, setting_value, thousands

SETTINGS, SCORES, ANSWERING, RUNS = "Settings", "Scores", "Answering", "Runs"
MOST_SETTINGS = 8
"""More settings that vary are one click away, in the chooser."""
_LONG = {name for name in ("metrics", "metric_options", "weights", "separators")}
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
    "latency_p50": ("Latency (median)", seconds),
    "prompt_tokens": ("Prompt tokens", thousands),
    "completion_tokens": ("Answer tokens", thousands),
    "cost_usd": ("Cost", money),
}


def columns_of(rows: Sequence[RunRow], chosen: Mapping[str, bool], wanted: Iterable[str] = ()) -> BoardColumns:
    """Return the columns for these runs.

    Unless `chosen` says otherwise, by name, settings that vary are shown, the scores that some run has of the five and
    the total, and what answers took. `wanted`: further ones that are drawn or sorted by.
    """
    values = [all_settings(row) for row in rows]
    names = [name for name in ("corpus", "testset", *run_settings()) if any(name in each for each in values)]
    told = {name: {str(each.get(name)) for each in values} for name in names}
    varying = [name for name in names if len(told[name]) > 1]
    scores, wanted = scores_of(rows), set(wanted)
    default = {name for name in varying if not _is_long(name)}
    default = {*sorted(default, key=varying.index)[:MOST_SETTINGS], *(METRICS if not scores else {*METRICS} & {*scores})}
    default |= {"latency_p50", "prompt_tokens", "completion_tokens", "cost_usd", "created"}
    default |= {"tags"} if any(row.run.tags for row in rows) else set()
    default |= {"state", "failed"} if any(row.state != "done" or row.failed for row in rows) else set()
    numeric = {name for name in names if all(as_number(each[name]) is not None for each in values if name in each)}
    offered = [
        Column("tags", "Tags", RUNS),
        Column("note", "Note", RUNS),
        Column("state", "State", RUNS),
        *(Column(name, setting_label(name), SETTINGS, name in numeric) for name in names if not _is_long(name)),
        *(Column(name, _score_label(name), SCORES, True) for name in dict.fromkeys((*METRICS, *scores))),
        *(Column(name, label, ANSWERING, True) for name, (label, _) in _TOOK.items()),
        Column("failed", "Failed", ANSWERING, True),
        Column("created", "Made", RUNS, True),
    ]
    same = [name for name in names if name not in varying and values[0].get(name) not in (None, "")] if rows else []
    return BoardColumns(
        [_shown(each, chosen.get(each.name, each.name in default or each.name in wanted)) for each in offered],
        [(setting_label(name), setting_value(values[0][name])) for name in _first(same) if not _is_long(name)],
        [metric_label(name) for name in METRICS if scores and name not in scores],
    )


def _is_long(name: str) -> bool:
    declared = run_settings().get(name)
    return name in _LONG or (declared is not None and declared.info.lines > 1)


_TELLING = ("llm", "prompt_name", "chunker", "embedding", "retriever", "top_k")


def _first(names: Sequence[str]) -> list[str]:
    """Return settings with those before the others that tell most of a pipeline."""
    return sorted(names, key=lambda name: _TELLING.index(name) if name in _TELLING else len(_TELLING))


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
