"""On the page Compare: asking a judge which of two runs' answers are better."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluation.models import Run
from evaluation.queries.preferences import EVERY, preference_view, preferences_between
from evaluation.services.preferring import start_preferring
from rag_pipeline.background.tasks import resume
from rag_pipeline.errors import ConfigError
from workbench.forms.preferences import PreferenceForm
from workbench.htmx import render_page, wants_part
from workbench.services.known_models import known_judges
from workbench.services.preferences import preferred_bench

PART = "compare/_preference.html"


def preference_panel(request: HttpRequest, a: Run, b: Run, form: PreferenceForm | None = None) -> dict[str, Any]:
    """Return what the panel shows: the form, and the latest comparison with the verdicts that the address asks for."""
    number = request.GET.get("page", "1")
    view = preference_view(
        a=a, b=b, shown=request.GET.get("verdicts", EVERY), number=int(number) if number.isdecimal() else 1
    )
    start = {"judge": view.preference.judge, "judge_votes": view.preference.votes} if view else _usual()
    form = form or PreferenceForm(initial=start)
    return {"preferred": view, "preference_form": form, "judges": known_judges(), "a": a, "b": b}


@require_safe
def preference(request: HttpRequest) -> HttpResponse:
    """Return the panel alone; a whole page is that of Compare."""
    a, b = (_run(request.GET.get(name, "")) for name in ("a", "b"))
    if not wants_part(request):
        return HttpResponseRedirect(_place(a, b))
    return render_page(request, PART, PART, preference_panel(request, a, b))


@require_POST
def prefer(request: HttpRequest) -> HttpResponse:
    """Queue the comparison of two runs' answers."""
    a, b = (_run(request.POST.get(name, "")) for name in ("a", "b"))
    form = PreferenceForm(request.POST)
    if form.is_valid():
        try:
            start_preferring(a=a, b=b, judge=form.cleaned_data["judge"], votes=form.cleaned_data["judge_votes"])
            return HttpResponseRedirect(_place(a, b))
        except ConfigError as error:
            form.add_error(error.field if error.field in form.fields else None, str(error))
    return render_page(request, "compare/preference.html", PART, preference_panel(request, a, b, form), 422)


@require_POST
def go_on(request: HttpRequest) -> HttpResponse:
    """Let a comparison that stopped go on: what is judged is not asked again."""
    a, b = (_run(request.POST.get(name, "")) for name in ("a", "b"))
    found = preferences_between(a, b).select_related("task").first()
    if found is None or found.task is None or found.task.active:
        messages.error(request, "There is nothing left to judge.")
    else:
        resume(found.task)
    return HttpResponseRedirect(_place(a, b))


def _usual() -> dict[str, Any]:
    """Return the judge of the preferred settings."""
    evaluation = preferred_bench().settings
    return {"judge": evaluation.get("judge", ""), "judge_votes": evaluation.get("judge_votes", 1)}


def _place(a: Run, b: Run) -> str:
    return f"{reverse('compare')}?a={a.pk}&b={b.pk}#preference"


def _run(text: str) -> Run:
    return get_object_or_404(Run.objects.select_related("corpus", "testset"), pk=int(text) if text.isdecimal() else 0)


urlpatterns = [
    path("compare/preference/", preference, name="preference"),
    path("compare/prefer/", prefer, name="prefer"),
    path("compare/prefer/resume/", go_on, name="prefer-resume"),
]
