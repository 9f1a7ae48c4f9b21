"""What is done to one or several runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import urlencode, urlsplit

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.views.decorators.http import require_POST

from evaluation.exchange.table_files import table_files
from evaluation.models import Run
from evaluation.services.runs import archive_run, delete_run, pin_baseline, rename_run, resume_run, tag_run
from rag_pipeline.english.wording import counted
from rag_pipeline.errors import PipelineError
from workbench.forms.runs import LONGEST_TAG, RunNameForm
from workbench.ids import as_id
from workbench.views import rescoring
from workbench.views import run as run_page
from workbench.views.frame import back

_STAYING = ("tag", "untag", "pin", "unpin")
"""Actions after which runs are still where they were ticked."""


@require_POST
def act(request: HttpRequest) -> HttpResponse:
    """Compare, draw, export, archive, bring back, tag, pin or delete the chosen runs."""
    chosen = Run.objects.filter(pk__in=list(filter(None, map(as_id, request.POST.getlist("run")))))
    action = request.POST.get("action", "")
    if not chosen:
        messages.warning(request, "Choose runs by the boxes at the left first.")
    elif address := _elsewhere(action, sorted(run.pk for run in chosen), request.POST.get("next", "")):
        return redirect(address)
    elif done := _act(request, action, list(chosen)):
        messages.success(request, done)
    address = back(request, reverse("dashboard")).url
    return redirect(_ticked(address, sorted(run.pk for run in chosen)) if action in _STAYING else address)


def _ticked(address: str, runs: Sequence[int]) -> str:
    """Return an address of the Dashboard with these runs ticked there; any other as it is."""
    parts = urlsplit(address)
    if parts.path not in (reverse("dashboard"), reverse("runs")):
        return address
    query = QueryDict(parts.query, mutable=True)
    query["ticked"] = ",".join(map(str, runs))
    return parts._replace(query=query.urlencode(safe=",")).geturl()


def _elsewhere(action: str, runs: Sequence[int], before: str) -> str:
    """Return where an action leads that changes nothing, empty for others; nothing but ids is in the address."""
    query = urlencode({"runs": ",".join(map(str, runs))}, safe=",")
    name, _, ending = action.partition(".")
    if action == "compare":
        return f"{reverse('compare')}?{query}"
    if action == "draw":
        return f"{reverse('dashboard')}?{_with(before, query)}"
    if action == "report":
        return f"{reverse('dashboard-report')}?{_with(before, query)}"
    if name == "export" and table_files.find(ending):
        return f"{reverse('dashboard-file', args=[ending])}?{_with(before, query)}"
    return ""


def _with(before: str, query: str) -> str:
    """Return the query of the page that one comes from, with other runs in it."""
    kept = QueryDict(urlsplit(before).query, mutable=True)
    kept.pop("runs", None)
    if query and kept.get("chart", "setting") == "setting":
        kept["chart"] = "radar"
    return "&".join(filter(None, (kept.urlencode(), query)))


@require_POST
def rename(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a run a name and a note."""
    found = get_object_or_404(Run, pk=pk)
    form = RunNameForm(request.POST)
    if not form.is_valid():
        return run_page.show_summary(request, found, name_form=form, status=422)
    rename_run(run=found, **form.cleaned_data)
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
    tag = request.POST.get("tag", "").strip()[:LONGEST_TAG]
    actions: dict[str, tuple[str, Callable[[Run], None]]] = {
        "archive": ("Archived", lambda run: archive_run(run=run, archived=True)),
        "restore": ("Brought back", lambda run: archive_run(run=run, archived=False)),
        "delete": ("Deleted", lambda run: delete_run(run=run)),
        "pin": ("Pinned", lambda run: pin_baseline(run=run, pinned=True)),
        "unpin": ("Unpinned", lambda run: pin_baseline(run=run, pinned=False)),
    }
    if tag:
        actions["tag"] = ("Tagged", lambda run: tag_run(run=run, tag=tag))
        actions["untag"] = (f"Took “{tag}” from", lambda run: tag_run(run=run, tag=tag, wanted=False))
    elif action in ("tag", "untag"):
        messages.warning(request, "Write the tag beside the button first.")
    if action not in actions:
        return ""
    words, act = actions[action]
    done = 0
    for each in chosen:
        try:
            act(each)
            done += 1
        except PipelineError as error:
            messages.error(request, str(error))
    return f"{words} {counted(done, 'run')}." if done else ""


urlpatterns = [
    path("runs/act/", act, name="runs-act"),
    *run_page.urlpatterns,
    *rescoring.urlpatterns,
    path("runs/<int:pk>/rename/", rename, name="run-rename"),
    path("runs/<int:pk>/resume/", resume, name="run-resume"),
]
