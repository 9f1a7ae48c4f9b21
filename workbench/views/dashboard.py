"""The page Dashboard: runs of a test set by settings and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from evaluation.metrics.base import metrics
from evaluation.models import TestSet
from evaluation.queries.differences import metric_label
from evaluation.queries.rows import RunRow
from evaluation.queries.runs import run_rows
from workbench.charts import figures as charts
from workbench.charts.palette import SERIES, prompt_series
from workbench.forms.dashboard import DashboardForm
from workbench.htmx import render_page
from workbench.services.listing import METRICS, best_of, further_of, measured_otherwise, sorted_rows, with_older_formula

PER_PAGE = 100


@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    """Show the scored runs of a test set as a chart and a table."""
    form = DashboardForm(request.GET)
    testset = form.chosen_testset
    sort = request.GET.get("sort", "-total")
    context: dict[str, Any] = {"form": form, "testset": testset, "sort": sort, "any": TestSet.objects.exists()}
    if testset is not None:
        everything = run_rows(testset=testset)
        rows = [row for row in everything if row.metrics and form.fits(row)]
        form.offer(further_of(rows))
        context |= _board(form, rows, sort) | {"left_out": len(everything) - len(rows)}
        listed = sorted_rows(rows, sort, context["otherwise"])
        context["rows"] = Paginator(listed, PER_PAGE).get_page(request.GET.get("page"))
    return render_page(request, "dashboard/page.html", "dashboard/_board.html", context)


def _board(form: DashboardForm, rows: Sequence[RunRow], sort: str) -> dict[str, Any]:
    """Return the chart and what marks the table: the best, and the further metric that is drawn or sorted by."""
    score, extra, series = form.chosen_score, form.extra_column(sort), prompt_series()
    otherwise = {name: measured_otherwise(rows, name) for name in (*METRICS, extra) if name}
    dots = [row for row in rows if row.run.pk not in otherwise[score]]
    figure = charts.score_against_chunk_size(dots, series, score)
    return {
        "many_dots": len(charts.drawn(dots, score)) > charts.MANY_DOTS,
        "best": best_of(rows, extra, otherwise),
        "series": {name: place % SERIES for name, place in series.items()},
        "figure": figure if figure["data"] else None,
        "score": score,
        "score_title": charts.score_title(score),
        "extra": metrics.get(extra) if extra else None,
        "otherwise": otherwise,
        "left_outs": [_left_out(rows, name, otherwise[name]) for name in dict.fromkeys((score, extra)) if name],
    }


def _left_out(rows: Sequence[RunRow], name: str, otherwise: Mapping[int, str]) -> dict[str, Any]:
    """Return the runs whose values of a score are not shown, those of an older formula apart."""
    older = with_older_formula(rows, otherwise)
    return {"label": metric_label(name), "older": older, "others": len(otherwise) - len(older)}


urlpatterns = [path("dashboard/", dashboard, name="dashboard")]
