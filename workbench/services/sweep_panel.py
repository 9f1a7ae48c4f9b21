"""What the page of a sweep shows: its charts as chosen, the table best first, what can be done next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.queries.rows import RunRow
from evaluation.queries.sweep_importance import importance_of
from evaluation.queries.sweep_map import QuestionMap
from evaluation.queries.sweep_table import SweepRow, SweepTable
from evaluation.queries.sweeps import FRESH, mean_of
from evaluation.scoring.scales import scale_of
from rag_pipeline.english.wording import counted
from rag_pipeline.settings.catalogue import describe
from workbench.charts.figures import Figure
from workbench.charts.sweep_overview import importance_bars, parallel_lines, score_against
from workbench.charts.sweeps import is_numeric, questions_by_settings, score_curve, two_settings

_MOST_CELLS = 12_000
"""Cells of the map of questions; more would be too fine to be seen, and too large to be sent."""
_LISTED = 8


_FRONT = "The dotted line is the efficient front: nothing that takes as little scores higher."


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its title and what it says."""

    id: str
    title: str
    figure: Figure | None
    note: str


@dataclass(frozen=True)
class SweepPanel:
    """`x` and `line`: the settings of the curve; `names` all that were swept, with their titles."""

    table: SweepTable
    rows: list[SweepRow]
    names: dict[str, str]
    x: str
    line: str
    curve: Figure | None
    heat: Figure | None
    questions: QuestionMap | None
    map: Figure | None
    other: SweepRow | None
    overview: Sequence[Chart] = ()
    distinguishing: int = 0
    """Questions that not all configurations solve."""

    @property
    def top(self) -> float:
        """The upper end of the score's scale."""
        return scale_of(self.table.score).high

    @property
    def reduced(self) -> bool:
        """True where a point of the curve stands for the best of other settings."""
        return len(self.names) > 1 + bool(self.line)

    @property
    def never(self) -> list[Any]:
        """The first of the questions that no configuration solves."""
        return self.questions.never[:_LISTED] if self.questions else []

    @property
    def figure(self) -> bool:
        """True where there is a chart to draw, in a report too."""
        return self.curve is not None

    @property
    def idle(self) -> bool:
        """True where no work of the sweep goes on."""
        task = self.table.sweep.task
        return task is None or not task.active

    @property
    def can_answer(self) -> bool:
        """True where retrieval alone was scored: its best can be answered next."""
        return self.idle and self.table.spec.options.retrieval_only and len(self.table.scored) > 0

    @property
    def can_confirm_afresh(self) -> bool:
        """True where pairs can be written to confirm the recommendation with."""
        return self.idle and self.table.recommended is not None and FRESH not in self.table.sweep.state

    @property
    def confirmed(self) -> list[tuple[str, RunRow]]:
        """The runs that confirm the recommendation, each with what it was asked."""
        fresh = f"On {counted(self.table.written[0], 'fresh pair')}"
        return [("On holdout", row) for row in self.table.confirmations] + [(fresh, row) for row in self.table.fresh]

    @property
    def can_confirm(self) -> bool:
        """True where the recommendation was not tried on holdout yet."""
        return (
            self.idle
            and self.table.recommended is not None
            and self.table.spec.run.split == "tune"
            and not self.table.confirmations
            and self.table.sweep.testset.questions.filter(split="holdout").exists()
        )


def sweep_panel(table: SweepTable, asked: Mapping[str, str], questions: QuestionMap | None) -> SweepPanel:
    """Return what to show; `asked`: the query of the address, with `x` and `line`."""
    names = {name: describe(name).title for name in table.swept}
    x, line = _axes(table, list(names), asked)
    rows = sorted(table.rows, key=lambda each: -_mean(table, each))
    scored = bool(table.scored)
    distinguishing = len(questions.never) + len(questions.flips) if questions is not None else 0
    small = questions is not None and 0 < distinguishing * len(questions.rows) <= _MOST_CELLS
    return SweepPanel(
        table=table,
        rows=rows,
        names=names,
        x=x,
        line=line,
        curve=score_curve(table, x, line) if scored else None,
        heat=two_settings(table, x, line) if scored and line else None,
        questions=questions,
        map=questions_by_settings(questions) if questions is not None and small else None,
        distinguishing=distinguishing,
        overview=overview(table) if scored else (),
        other=next((each for each in rows if each.run and each != table.recommended), None),
    )


def _axes(table: SweepTable, names: Sequence[str], asked: Mapping[str, str]) -> tuple[str, str]:
    """Return the setting along the axis and the one of the lines: those asked for, else the first that suit."""
    suited = [name for name in names if is_numeric(table, name)] or names
    x = asked["x"] if asked.get("x") in names else suited[0]
    others = [name for name in names if name != x] or [""]
    return x, asked["line"] if asked.get("line") in others else others[0]


def overview(table: SweepTable) -> list[Chart]:
    """Return the charts of the sweep as a whole: what matters, every configuration, score against what it takes."""
    matter = importance_of(table)
    charts = [
        Chart(
            "sweep-importance",
            "Which settings matter",
            importance_bars(matter) if matter else None,
            "The share of the differences between configurations that a setting explains alone, with its 95 % interval "
            "over the questions. What is left is interplay and chance.",
        ),
        Chart(
            "sweep-tokens",
            "Score against tokens of context",
            score_against(table, lambda row: row.context_tokens, "Tokens of context a question"),
            _FRONT,
        ),
        Chart(
            "sweep-cost",
            "Score against cost",
            score_against(table, _cost_of_one, "USD a question"),
            _FRONT,
        ),
        Chart(
            "sweep-lines",
            "Every configuration as a line",
            parallel_lines(table) if len(table.swept) > 1 and len(table.scored) > 2 else None,
            "One line a configuration through its values; the last axis is the score, the strong line the best.",
        ),
    ]
    return [each for each in charts if each.figure is not None]


def _cost_of_one(row: SweepRow) -> float | None:
    return row.cost_usd / row.n if row.cost_usd and row.n else None


def _mean(table: SweepTable, row: SweepRow) -> float:
    mean = mean_of(row.row, table.score) if row.row else None
    return -1.0 if mean is None else mean
