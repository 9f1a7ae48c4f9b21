"""The page Compare: any number of runs beside a baseline."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from evaluation.models import Run
from evaluation.queries.runs import runs_to_choose
from evaluation.queries.side_by_side import EVERY, FLIPS, LOST, SAME, WON, SideBySide, compare_with
from workbench.display.run_options import run_options
from workbench.display.verdict import verdict_of
from workbench.htmx import render_page
from workbench.ids import as_id, ids_of
from workbench.services.report import report_of
from workbench.views.preferences import preference_panel

PAGE, PART = "compare/page.html", "compare/_comparison.html"
SHOWN = {EVERY: "All", WON: "Won", LOST: "Lost", SAME: "Same", FLIPS: "Flips"}
"""Which questions can be shown, and how that is called."""


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Show how runs differ from a baseline; a form sends each run as `run`, which becomes the address with all ids."""
    if request.GET.getlist("run"):
        return redirect(_address(list(map(as_id, request.GET.getlist("run"))), as_id(request.GET.get("baseline"))))
    runs = _runs(request)
    able, chosen = runs_to_choose(), {run.pk for run in runs}
    more = run_options((each for each in able if each.pk not in chosen), of_all_testsets=True)
    context: dict[str, Any] = {"able": able, "more": more, "runs": runs}
    if len(runs) > 1:
        found = _compared(request, runs)
        context |= {"found": found, "choices": _choices(found), "verdicts": _verdicts(found)}
        context["ids"] = ",".join(str(run.pk) for run in runs)
    if len(runs) == 2:
        context |= preference_panel(request, runs[0], runs[1])
    return render_page(request, PAGE, PART, context)


@require_safe
def report(request: HttpRequest) -> HttpResponse:
    """Download the comparison, with all questions, as one file that opens without a network."""
    runs = _runs(request)
    if len(runs) < 2:
        raise Http404("A comparison needs two runs.")
    found = _compared(request, runs, whole=True)
    title = f"{', '.join(str(run) for run in runs[1:])} against {runs[0]}"
    context = {"title": title, "found": found, "verdicts": _verdicts(found)}
    return report_of("report/comparison.html", context, "comparison.html")


def _runs(request: HttpRequest) -> list[Run]:
    """Return the runs of the address, the baseline first. Raises Http404 where one of them is not there."""
    several = "runs" in request.GET
    ids = ids_of(request.GET["runs"]) if several else [as_id(request.GET.get(name)) for name in ("a", "b")]
    ids = [each for each in ids if each]
    found = Run.objects.select_related("corpus", "testset__corpus").in_bulk(ids)
    if len(found) < len(set(ids)):
        raise Http404("A run is not there any more.")
    runs = [found[each] for each in ids]
    if not several:
        return runs
    first = found.get(as_id(request.GET.get("baseline"))) or next((run for run in runs if run.baseline), None)
    return runs if first is None else [first, *(run for run in runs if run != first)]


def _address(runs: list[int], baseline: int) -> str:
    ids = list(dict.fromkeys(filter(None, runs)))
    query = {"runs": ",".join(map(str, ids))} | ({"baseline": str(baseline)} if baseline in ids else {})
    return f"{reverse('compare')}?{urlencode(query, safe=',')}"


def _compared(request: HttpRequest, runs: list[Run], *, whole: bool = False) -> SideBySide:
    shown, page = request.GET.get("show", EVERY), as_id(request.GET.get("page")) or 1
    return compare_with(baseline=runs[0], others=runs[1:], shown=shown, page=page, whole=whole)


def _choices(found: SideBySide) -> list[tuple[str, str, int]]:
    return [(name, words, found.counts[name]) for name, words in SHOWN.items()]


def _verdicts(found: SideBySide) -> list[tuple[Any, str]]:
    """Return each comparison with its sentence."""
    return [(each, verdict_of(each)) for each in found.comparisons]


urlpatterns = [
    path("compare/", compare, name="compare"),
    path("compare/report.html", report, name="compare-report"),
]
