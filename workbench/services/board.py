"""The chart of the Dashboard: which runs it draws, which it leaves out, and what is said about that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.metrics.base import metrics
from evaluation.models import Question
from evaluation.queries.differences import metric_label
from evaluation.queries.question_scores import scores_of_question, values_by_question
from evaluation.queries.rows import RunRow
from evaluation.queries.run_frame import Pivot, pivot
from evaluation.queries.settings import setting_label
from evaluation.scoring.scales import scale_of
from evaluation.scoring.summaries import TOTAL
from evaluation.spec import HEADLINE
from rag_pipeline.english.wording import counted
from workbench.charts import figures, run_charts
from workbench.charts.palette import prompt_series
from workbench.services.listing import Otherwise, with_older_formula

MOST_DRAWN = 8
"""Runs in a chart of some runs: as many as there are colours."""
_LONGEST_NAME = 30


@dataclass(frozen=True, slots=True)
class ChartChoice:
    """What to draw: a chart by name, the score, the setting on the axis, the settings of a pivot.

    `metrics` and `question` are the radar's; None is the mean. `runs`: ids of those that a chart of some runs draws;
    without any the first of the table.
    """

    name: str
    score: str
    setting: str
    pivoted: tuple[str, str]
    metrics: Sequence[str] = ()
    question: Question | None = None
    runs: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class BoardChart:
    """A chart with its title, or a pivot; `notes` say what it leaves out and why, `older` holds runs to score again."""

    name: str
    score: str
    title: str
    figure: figures.Figure | None = None
    pivot: Pivot | None = None
    notes: list[str] = field(default_factory=list)
    older: list[RunRow] = field(default_factory=list)
    many_dots: bool = False


def board_chart(choice: ChartChoice, rows: Sequence[RunRow], otherwise: Otherwise) -> BoardChart:
    """Return the chosen chart of `rows`, which are sorted as the table is."""
    together, notes = _of_one_testset(rows)
    score = _by_question(choice) if choice.name == "spread" else choice.score
    if score != choice.score:
        notes.append(f"{metric_label(choice.score)} has no value by question: {metric_label(score)} is shown.")
    hidden = otherwise.get(score, {})
    shown = [row for row in together if row.run.pk not in hidden]
    older = with_older_formula(together, hidden)
    notes += _left_out([row for row in together if row.run.pk in hidden and row not in older], score)
    if choice.name != "radar" and not scale_of(score).higher_is_better:
        notes.append(f"Of {metric_label(score).lower()}, less is better.")
    title, figure, table, more = _DRAWN[choice.name](choice, shown, score)
    return BoardChart(
        name=choice.name,
        score=score,
        title=title,
        figure=figure if figure and figure["data"] else None,
        pivot=table,
        notes=notes + more,
        older=older,
        many_dots=figure is not None and _dots_in(figure) > figures.MANY_DOTS,
    )


def _of_one_testset(rows: Sequence[RunRow]) -> tuple[list[RunRow], list[str]]:
    """Return the runs on the test set of the latest scored one, and what is said of the others."""
    newest = max((row for row in rows if row.metrics), key=lambda row: row.run.pk, default=None)
    if newest is None:
        return [], []
    together = [row for row in rows if row.run.testset_id == newest.run.testset_id]
    if len(together) == len(rows):
        return together, []
    left = counted(len(rows) - len(together), "run")
    said = f"Drawn are the runs on “{newest.run.testset}”; {left} of other test sets cannot stand beside them."
    return together, [said]


def _dots_in(figure: figures.Figure) -> int:
    return sum(len(trace["x"]) for trace in figure["data"] if "customdata" in trace)


_Drawn = tuple[str, figures.Figure | None, Pivot | None, list[str]]
"""Title, figure or pivot, and notes."""
_Draw = Callable[[ChartChoice, Sequence[RunRow], str], _Drawn]


def _left_out(rows: Sequence[RunRow], score: str) -> list[str]:
    if not rows:
        return []
    verb = "is" if len(rows) == 1 else "are"
    return [
        f"{counted(len(rows), 'run')} measured {metric_label(score)} otherwise (another agreement, judge, prompt or "
        f"option) and {verb} left out."
    ]


def _by_setting(choice: ChartChoice, rows: Sequence[RunRow], score: str) -> _Drawn:
    dots = figures.dots_of(rows, score, choice.setting)
    figure = figures.figure_of(dots, prompt_series(), score, choice.setting)
    without = len(rows) - sum(len(dot.rows) for dot in dots)
    notes = [f"{counted(without, 'run')} without {setting_label(choice.setting).lower()} or score not drawn."]
    title = f"{figures.score_title(score)} against {setting_label(choice.setting).lower()}, coloured by prompt"
    return title, figure, None, notes if without else []


def _against(what: str, taken_by: Callable[[RunRow], float | None], *, in_dollars: bool) -> _Draw:
    def draw(choice: ChartChoice, rows: Sequence[RunRow], score: str) -> _Drawn:
        taken = {row.run.pk: value for row in rows if (value := taken_by(row)) is not None}
        figure = run_charts.quality_against(rows, prompt_series(), score, taken, in_dollars=in_dollars)
        unknown = len(rows) - len(taken)
        notes = [f"{counted(unknown, 'run')} whose {what} is unknown not drawn."] if unknown else []
        if in_dollars and taken and not any(taken.values()):
            notes.append("All these answers were free.")
        return f"{figures.score_title(score)} against {what}", figure, None, notes

    return draw


def _some(choice: ChartChoice, rows: Sequence[RunRow]) -> tuple[list[RunRow], list[str]]:
    """Return the runs that a chart of some runs draws: those that were chosen, else the first and the baseline."""
    if choice.runs:
        chosen = [row for row in rows if row.run.pk in choice.runs][:MOST_DRAWN]
        return chosen, []
    first = rows[: MOST_DRAWN - 1]
    first = [*first, *(row for row in rows if row.run.baseline and row not in first)]
    notes = [f"The first {len(first)} runs of the table: tick others there and press Draw."]
    return list(first), notes if len(first) < len(rows) else []


def names_of(rows: Sequence[RunRow]) -> dict[int, str]:
    """Return a short name for each run, by its id, that no other of them has."""
    short = {row.run.pk: _shortened(str(row.run)) for row in rows}
    counts = Counter(short.values())
    return {pk: f"{name} (#{pk})" if counts[name] > 1 else name for pk, name in short.items()}


def _shortened(name: str) -> str:
    """Return a name without its middle where it is long: in a sweep the runs differ at the end."""
    if len(name) <= _LONGEST_NAME:
        return name
    end = _LONGEST_NAME * 2 // 3
    return f"{name[: _LONGEST_NAME - end - 1].rstrip()}…{name[-end:].lstrip()}"


def _radar(choice: ChartChoice, rows: Sequence[RunRow], score: str) -> _Drawn:
    some, notes = _some(choice, rows)
    names = list(choice.metrics)
    if choice.question is None:
        values = {row.run.pk: {name: row.mean(name) for name in names} for row in some}
        title = "Chosen metrics, mean over the questions"
    else:
        values = scores_of_question([row.run for row in some], choice.question, names)
        title = f"Chosen metrics on “{choice.question.text[:80]}”"
        notes += ["A question has only the scores of its kind."]
    if len(names) < 3:
        return title, None, None, ["A radar needs three metrics or more: choose them above."]
    called = names_of(some)
    known = {pk: own for pk, own in values.items() if any(each is not None for each in own.values())}
    named = {called[row.run.pk]: known[row.run.pk] for row in some if row.run.pk in known}
    return title, run_charts.radar(named, names) if named else None, None, notes


def _spread(choice: ChartChoice, rows: Sequence[RunRow], score: str) -> _Drawn:
    some, notes = _some(choice, rows)
    values = values_by_question([row.run for row in some], score)
    called = names_of(some)
    named = {called[row.run.pk]: values[row.run.pk] for row in some if values[row.run.pk]}
    notes = [run_charts.BOXES, *notes]
    return f"{metric_label(score)} by question, a box a run", run_charts.spread(named, score), None, notes


def _pivot(choice: ChartChoice, rows: Sequence[RunRow], score: str) -> _Drawn:
    down, across = choice.pivoted
    title = f"{figures.score_title(score)} by {setting_label(down).lower()} and {setting_label(across).lower()}"
    return title, None, pivot(rows, down, across, score), []


def _by_question(choice: ChartChoice) -> str:
    return HEADLINE[0] if choice.score == TOTAL else choice.score


_DRAWN: Mapping[str, _Draw] = {
    "setting": _by_setting,
    "radar": _radar,
    "cost": _against("cost", run_charts.cost_of, in_dollars=True),
    "latency": _against("latency", run_charts.latency_of, in_dollars=False),
    "spread": _spread,
    "pivot": _pivot,
}


def radar_metrics(scores: Sequence[str], chosen: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the metrics that a radar can show, whose range has ends, and those it shows: the chosen, else the five."""
    offered = [name for name in scores if name != TOTAL and scale_of(name).span is not None]
    shown = [name for name in offered if name in chosen] or [name for name in offered if name in HEADLINE]
    return offered, shown


def score_shown(wanted: str, scores: Sequence[str]) -> tuple[str, str]:
    """Return the score that is shown, and what is said where it is not the wanted one, which no run has."""
    wanted = wanted or TOTAL
    if wanted in scores or not scores:
        return (wanted if wanted in scores else TOTAL), ""
    instead = next((name for name in (TOTAL, *HEADLINE) if name in scores), scores[0])
    known = metric_label(wanted) if wanted == TOTAL or _known(wanted) else f"“{wanted}”"
    return instead, f"No run here has {known}: {metric_label(instead)} is shown."


def _known(name: str) -> bool:
    return metrics.find(name) is not None
