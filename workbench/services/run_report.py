"""A run as a report: its scores, parts, settings and every answer in one file."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.metrics.base import metrics
from evaluation.models import Run
from evaluation.queries.comparison import score_cards
from evaluation.queries.question_scores import values_by_question
from evaluation.queries.questions import question_rows
from evaluation.queries.rows import QuestionFilters
from evaluation.queries.runs import rows_of
from evaluation.spec import HEADLINE
from workbench.charts import figures, run_charts
from workbench.services.report import report_html
from workbench.services.run_facts import further_scores, run_facts, score_parts

_ALL = 1_000_000


@dataclass(frozen=True, slots=True)
class SpreadOfRun:
    """How the scores of a run are spread over its questions."""

    figure: figures.Figure | None
    title: str = "Scores by question, a box a score"
    notes: tuple[str, ...] = (run_charts.BOXES,)


def run_report(run: Run) -> str:
    """Return the report of a run as HTML that opens without a network."""
    cards = score_cards(run=run)
    context = {
        "title": str(run),
        "run": run,
        "row": rows_of([run])[0],
        "cards": cards,
        "further": further_scores(run),
        "parts": score_parts(cards),
        "facts": run_facts(run),
        "chart": SpreadOfRun(_spread(run)),
        "names": HEADLINE,
        "questions": question_rows(run=run, filters=QuestionFilters(), per_page=_ALL).rows,
    }
    return report_html("report/run.html", context)


def _spread(run: Run) -> figures.Figure | None:
    values = {metrics.get(name).label: values_by_question([run], name)[run.pk] for name in HEADLINE}
    figure = run_charts.spread({name: each for name, each in values.items() if each}, HEADLINE[0])
    figure["layout"]["yaxis"]["title"] = {"text": "Score"}
    return figure if figure["data"] else None
