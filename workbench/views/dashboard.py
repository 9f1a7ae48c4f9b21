"""The page Dashboard: runs of a test set by settings and scores."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from evaluation.models import TestSet
from evaluation.queries import run_rows
from workbench import charts
from workbench.forms.dashboard import DashboardForm
from workbench.htmx import render_page
from workbench.services.listing import best_of, sorted_rows
from workbench.services.palette import SERIES, prompt_series

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
        series = prompt_series()
        figure = charts.score_against_chunk_size(rows, series, form.chosen_score)
        context |= {
            "rows": Paginator(sorted_rows(rows, sort), PER_PAGE).get_page(request.GET.get("page")),
            "many_dots": len(charts.drawn(rows, form.chosen_score)) > charts.MANY_DOTS,
            "best": best_of(rows),
            "series": {name: place % SERIES for name, place in series.items()},
            "figure": figure if figure["data"] else None,
            "score": form.chosen_score,
            "left_out": len(everything) - len(rows),
        }
    return render_page(request, "dashboard/page.html", "dashboard/_board.html", context)


urlpatterns = [path("dashboard/", dashboard, name="dashboard")]
