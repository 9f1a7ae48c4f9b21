"""The page Dashboard: the runs by settings and scores, charts of them, and both as files."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from evaluation.models import Question, Run
from evaluation.queries.rows import RunRow
from evaluation.queries.run_frame import Table, pivot, run_frame
from evaluation.queries.runs import run_rows
from evaluation.queries.settings import HeldSettings, held_settings
from workbench.charts.palette import SERIES, prompt_series
from workbench.downloads import table_download
from workbench.forms.dashboard import CHARTS, BoardForm
from workbench.htmx import render_page
from workbench.ids import as_id
from workbench.services.board import BoardChart, ChartChoice, board_chart, radar_metrics, score_shown
from workbench.services.columns import BoardColumns, cells_of, columns_of
from workbench.services.listing import METRICS, Otherwise, best_of, measured_otherwise, scores_of, sorted_rows
from workbench.services.report import report_of
from workbench.views.frame import back

PER_PAGE = 50
TABLES = (("csv", "CSV"), ("xlsx", "Excel"), ("parquet", "Parquet"))
"""What a table is offered as."""
_COLUMNS = "columns"
_YEAR = 365 * 24 * 3600


@dataclass
class Board:
    """The Dashboard as its address asks for it."""

    form: BoardForm
    total: int
    rows: list[RunRow]
    """The runs that the filters let through, sorted."""
    sort: str
    held: HeldSettings
    scores: list[str]
    score: str
    score_note: str
    columns: BoardColumns
    otherwise: Otherwise
    best: dict[str, float]

    @property
    def scored(self) -> list[RunRow]:
        """The runs that can be drawn."""
        return [row for row in self.rows if row.metrics]

    def chart(self) -> BoardChart:
        """Return the chosen chart."""
        form = self.form
        offered, shown = radar_metrics(self.scores, form.chosen_metrics)
        if form.chart_name == "radar":
            form.offer_radar(offered, shown)
        asked = Question.objects.filter(pk=as_id(form.value("question"))).first()
        choice = ChartChoice(
            form.chart_name,
            self.score,
            form.setting(self.held),
            form.pivoted(self.held),
            shown,
            asked,
            form.chosen_runs,
        )
        return board_chart(choice, self.scored, self.otherwise)


@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    """Show runs as a table with a chart above it."""
    board = _board(request)
    page = Paginator(board.rows, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "board": board,
        "form": board.form,
        "sort": board.sort,
        "sort_target": "#board",
        "any": Run.objects.exists(),
        "chart": board.chart() if board.scored else None,
        "charts": CHARTS,
        "tables": TABLES,
        "page": page,
        "rows": [(row, cells_of(row, board.columns.shown, board.otherwise, board.best)) for row in page],
        "series": _series(),
    }
    return render_page(request, "dashboard/page.html", "dashboard/_board.html", context)


@require_POST
def columns(request: HttpRequest) -> HttpResponse:
    """Remember which columns are shown; without any that was offered, forget it."""
    response = back(request, "/dashboard/")
    wanted, shown = set(request.POST.getlist("column")), set(request.POST.getlist("shown"))
    if "reset" in request.POST:
        response.delete_cookie(_COLUMNS, samesite="Lax")
        return response
    chosen = _chosen_columns(request)
    chosen |= {name: name in wanted for name in request.POST.getlist("offered") if (name in wanted) != (name in shown)}
    kept = ".".join(f"{name}-{int(on)}" for name, on in chosen.items() if name.isidentifier())
    response.set_cookie(_COLUMNS, kept, max_age=_YEAR, samesite="Lax")
    return response


@require_safe
def download(request: HttpRequest, ending: str) -> HttpResponse:
    """Download the runs that the address asks for, or those that it names, as a table."""
    board = _board(request)
    chosen = board.form.chosen_runs
    rows = [row for row in board.rows if not chosen or row.run.pk in chosen]
    return table_download(run_frame(rows), "runs", ending)


@require_safe
def download_pivot(request: HttpRequest, ending: str) -> HttpResponse:
    """Download the pivot that the address asks for."""
    board = _board(request)
    down, across = board.form.pivoted(board.held)
    table: Table = pivot(board.scored, down, across, board.score).table
    return table_download(table, "pivot", ending)


@require_safe
def report(request: HttpRequest) -> HttpResponse:
    """Download the Dashboard as one file that opens without a network."""
    board = _board(request)
    chosen = board.form.chosen_runs
    rows = [row for row in board.rows if not chosen or row.run.pk in chosen]
    context = {
        "title": f"Runs on {board.form.chosen_testset or 'all test sets'}",
        "columns": board.columns.shown,
        "same": board.columns.same,
        "chart": board.chart() if board.scored else None,
        "rows": [(row, cells_of(row, board.columns.shown, board.otherwise, board.best)) for row in rows],
        "series": _series(),
    }
    return report_of("report/dashboard.html", context, "dashboard.html")


def _series() -> dict[str, int]:
    """Return the colour of each prompt by its number."""
    return {name: place % SERIES for name, place in prompt_series().items()}


def _board(request: HttpRequest) -> Board:
    """Return what the address asks for; no row of a question is read."""
    form = BoardForm(request.GET)
    everything = run_rows(testset=form.chosen_testset, archived=bool(form.cleaned_data.get("archived")))
    held = held_settings(everything)
    rows = form.filtered(everything, held)
    held = held if len(rows) == len(everything) else held_settings(rows)
    scores = scores_of(rows)
    score, note = score_shown(form.value("score"), scores)
    form.offer_charts(held, scores, score)
    sort = request.GET.get("sort", "-created")
    wanted = {score, sort.removeprefix("-")} & {*scores} - {*METRICS}
    shown = columns_of(rows, held, _chosen_columns(request), wanted)
    names = dict.fromkeys([score, *(each.name for each in shown.shown if each.is_score), *form.chosen_metrics])
    otherwise = measured_otherwise(rows, [name for name in names if name in scores])
    return Board(
        form=form,
        total=len(everything),
        rows=sorted_rows(rows, sort, otherwise),
        sort=sort,
        held=held,
        scores=scores,
        score=score,
        score_note=note,
        columns=shown,
        otherwise=otherwise,
        best=best_of(rows, names, otherwise),
    )


def _chosen_columns(request: HttpRequest) -> dict[str, bool]:
    """Return which columns were put on or off, by name."""
    kept = (each.rpartition("-") for each in request.COOKIES.get(_COLUMNS, "").split("."))
    return {name: on == "1" for name, _, on in kept if name}


urlpatterns = [
    path("dashboard/", dashboard, name="dashboard"),
    path("runs/", dashboard, name="runs"),
    path("dashboard/columns/", columns, name="dashboard-columns"),
    path("dashboard/runs.<table:ending>", download, name="dashboard-file"),
    path("dashboard/pivot.<table:ending>", download_pivot, name="pivot-file"),
    path("dashboard/report.html", report, name="dashboard-report"),
]
