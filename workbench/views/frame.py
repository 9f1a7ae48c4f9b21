"""Parts that every page has: worker state, background work, theme."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from rag_pipeline.background.tasks import request_cancel
from rag_pipeline.models import BackgroundTask, Corpus
from workbench.htmx import wants_part
from workbench.ids import as_id
from workbench.services.current_settings import choose_corpus
from workbench.services.frame import THEMES
from workbench.services.sample import LoadSample

_YEAR = 365 * 24 * 3600


def back(request: HttpRequest, fallback: str = "/") -> HttpResponseRedirect:
    """Redirect to the form's `next` when it is an address of this site."""
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()})
    return HttpResponseRedirect(target if safe else fallback)


@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """Return the worker's dot and word."""
    return render(request, "_worker.html")


@require_safe
def task(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the progress of a task; once it has ended, tell the page by the event `task-ended`."""
    return _task_part(request, get_object_or_404(BackgroundTask, pk=pk))


@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask a task to stop after the step it is at."""
    found = get_object_or_404(BackgroundTask, pk=pk)
    request_cancel(found)
    if not wants_part(request):
        return back(request)
    found.refresh_from_db()
    return _task_part(request, found)


@require_POST
def corpus(request: HttpRequest) -> HttpResponse:
    """Let all pages start with the chosen corpus."""
    choose_corpus(get_object_or_404(Corpus, pk=as_id(request.POST.get("chosen"))))
    return back(request)


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the chosen theme in a cookie; anything else forgets it, and the system's theme is followed again."""
    response = back(request)
    chosen = request.POST.get("theme", "")
    if chosen in THEMES:
        response.set_cookie("theme", chosen, max_age=_YEAR, samesite="Lax")
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response


def _task_part(request: HttpRequest, found: BackgroundTask) -> HttpResponse:
    response = render(request, "_task.html", {"task": found})
    if not found.active:
        response["HX-Trigger-After-Settle"] = "task-ended"
        if found.kind == LoadSample.kind:
            response["HX-Refresh"] = "true"  # the page that waits for the sample becomes the Workbench
    return response


urlpatterns = [
    path("worker/", worker, name="worker-state"),
    path("tasks/<int:pk>/", task, name="task"),
    path("tasks/<int:pk>/cancel/", cancel, name="task-cancel"),
    path("corpus/", corpus, name="choose-corpus"),
    path("theme/", theme, name="theme"),
]
