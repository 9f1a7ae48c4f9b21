"""The page Runs: the list, and what is done to one or several runs."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from evaluation.models import Run
from evaluation.queries.runs import run_rows
from evaluation.services.runs import archive_run, delete_run, pin_baseline, rename_run, resume_run
from rag_pipeline.errors import PipelineError
from workbench.forms.runs import RunFilterForm, RunNameForm
from workbench.htmx import render_page
from workbench.services.listing import matching, sorted_rows
from workbench.views import rescoring
from workbench.views import run as run_page
from workbench.views.frame import back

PER_PAGE = 50


@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    """List runs with state, settings and scores."""
    form = RunFilterForm(request.GET, auto_id="filter_%s")
    kept = form.kept()
    everything = run_rows(corpus=kept["corpus"], testset=kept["testset"], archived=bool(kept["archived"]))
    rows = matching(everything, kept["q"] or "")
    sort = request.GET.get("sort", "-created")
    page = Paginator(sorted_rows(rows, sort), PER_PAGE).get_page(request.GET.get("page"))
    context = {"form": form, "page": page, "sort": sort, "total": len(everything), "any": Run.objects.exists()}
    return render_page(request, "runs/page.html", "runs/_table.html", context)


@require_POST
def act(request: HttpRequest) -> HttpResponse:
    """Archive, bring back or delete the chosen runs."""
    chosen = Run.objects.filter(pk__in=[each for each in request.POST.getlist("run") if each.isdecimal()])
    done = _act(request, request.POST.get("action", ""), list(chosen))
    if done:
        messages.success(request, done)
    elif not chosen:
        messages.warning(request, "Choose runs by the boxes at the left first.")
    return back(request, "/runs/")


@require_POST
def rename(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a run a name and a note."""
    found = get_object_or_404(Run, pk=pk)
    form = RunNameForm(request.POST)
    if not form.is_valid():
        return run_page.show_summary(request, found, name_form=form, status=422)
    rename_run(run=found, name=form.cleaned_data["name"], note=form.cleaned_data["note"])
    return redirect("run", pk)


@require_POST
def resume(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a failed or cancelled run go on, or ask again what failed in a finished one."""
    found = get_object_or_404(Run.objects.select_related("task"), pk=pk)
    try:
        resume_run(run=found)
    except PipelineError as error:
        messages.error(request, str(error))
    return redirect("run", pk)


def _act(request: HttpRequest, action: str, chosen: Sequence[Run]) -> str:
    """Do it to each run; return what was done, in words. What is refused is said as a message."""
    words = {
        "archive": "Archived", "restore": "Brought back", "delete": "Deleted", "pin": "Pinned", "unpin": "Unpinned"
    }  # fmt: skip
    done = 0
    for each in chosen if action in words else []:
        try:
            if action == "delete":
                delete_run(run=each)
            elif action in {"pin", "unpin"}:
                pin_baseline(run=each, pinned=action == "pin")
            else:
                archive_run(run=each, archived=action == "archive")
            done += 1
        except PipelineError as error:
            messages.error(request, str(error))
    return f"{words[action]} {done} run{'' if done == 1 else 's'}." if done else ""


urlpatterns = [
    path("runs/", runs, name="runs"),
    path("runs/act/", act, name="runs-act"),
    *run_page.urlpatterns,
    *rescoring.urlpatterns,
    path("runs/<int:pk>/rename/", rename, name="run-rename"),
    path("runs/<int:pk>/resume/", resume, name="run-resume"),
]
