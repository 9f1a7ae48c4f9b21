"""The page Compare: run b against run a."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from evaluation.models import Run
from evaluation.queries.comparison import compare_runs
from evaluation.queries.runs import runs_to_choose
from workbench.htmx import render_page
from workbench.views.preferences import preference_panel

PAGE, PART = "compare/page.html", "compare/_comparison.html"


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Show how run `b` differs from run `a`; boxes of the list of runs come as `run` twice."""
    chosen = [each for each in request.GET.getlist("run") if each.isdecimal()]
    if len(chosen) >= 2:
        first, second = sorted(map(int, chosen[:2]))
        return redirect(f"{reverse('compare')}?a={first}&b={second}")
    a, b = (_run(request.GET.get(name, "")) for name in ("a", "b"))
    context: dict[str, Any] = {"rows": runs_to_choose(), "a": a, "b": b, "chosen": chosen}
    if a is not None and b is not None:
        context |= {"comparison": compare_runs(a=a, b=b, further=True)} | preference_panel(request, a, b)
    return render_page(request, PAGE, PART, context)


def _run(text: str) -> Run | None:
    if not text.isdecimal():
        return None
    return get_object_or_404(Run.objects.select_related("corpus", "testset"), pk=int(text))


urlpatterns = [path("compare/", compare, name="compare")]
