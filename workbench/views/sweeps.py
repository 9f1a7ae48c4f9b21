"""The pages of sweeps: asking for one, its plan, and what it showed."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from evaluation.models import Sweep, TestSet
from evaluation.queries.sweep_map import question_map
from evaluation.queries.sweep_table import sweep_table
from evaluation.services.fresh_pairs import confirm_afresh
from evaluation.services.sweep_changes import clone_configuration, keep_configuration, stop_configuration
from evaluation.services.sweep_files import sweep_csv, sweep_json
from evaluation.services.sweep_settings import settings_json, settings_program
from evaluation.services.sweeps import (
    answer_best,
    confirm_sweep,
    delete_sweep,
    pilot_sweep,
    plan_sweep,
    resume_sweep,
    start_sweep,
)
from evaluation.spec import RunOptions
from rag_pipeline.background.tasks import request_cancel
from rag_pipeline.errors import ConfigError, PipelineError
from workbench.downloads import saved_as
from workbench.forms.sweeps import SweepForm, as_lines, asked_sweep, named_lines
from workbench.htmx import render_page
from workbench.ids import as_id
from workbench.services.current_settings import chosen_corpus, current_settings
from workbench.services.preferences import newest_testset, save_preferred
from workbench.services.presets import save_preset
from workbench.services.report import report_of
from workbench.services.sweep_panel import sweep_panel

PER_PAGE = 30
_OF_ONE = {"keep": keep_configuration, "stop": stop_configuration}
PAGE, PART = "sweeps/page.html", "sweeps/_start.html"


@require_safe
def sweeps(request: HttpRequest) -> HttpResponse:
    """List the sweeps, with the form that asks for another."""
    corpus = chosen_corpus()
    current, newest = current_settings(corpus=corpus), newest_testset(corpus)
    initial = {"others": as_lines(current.spec), "testset": request.GET.get("testset", newest and newest.pk)}
    if request.GET.get("grid"):
        return _planned(request, asked_sweep(request.GET.dict(), initial, current.evaluation))
    return _page(request, SweepForm(initial=initial, evaluation=current.evaluation))


def _planned(request: HttpRequest, form: SweepForm) -> HttpResponse:
    """Show the plan of a sweep that an address asks for."""
    if form.is_valid() and form.spec is not None:
        testset = form.cleaned_data["testset"]
        try:
            return _page(request, form, plan=plan_sweep(corpus=testset.corpus, testset=testset, spec=form.spec))
        except ConfigError as error:
            form.refuse(error)
    return _page(request, form)


@require_POST
def begin(request: HttpRequest) -> HttpResponse:
    """Show the plan of a sweep, or, once that was seen, start it."""
    form = SweepForm(request.POST, evaluation=current_settings().evaluation)
    if not form.is_valid() or form.spec is None:
        return _page(request, form, 422)
    testset = form.cleaned_data["testset"]
    try:
        plan = plan_sweep(corpus=testset.corpus, testset=testset, spec=form.spec)
        if "pilot" in request.POST:
            plan = pilot_sweep(corpus=testset.corpus, testset=testset, spec=form.spec, plan=plan)
        if "start" not in request.POST:
            return _page(request, form, plan=plan)
        started = start_sweep(
            corpus=testset.corpus, testset=testset, spec=form.spec, plan=plan, name=form.cleaned_data["name"]
        )
    except ConfigError as error:
        form.refuse(error)
        return _page(request, form, 422)
    except PipelineError as error:
        return _page(request, form, plan=plan, pilot_error=str(error))
    return redirect("sweep", started.pk)


@require_safe
def sweep(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a sweep: what to use, curves, the table, the map of questions."""
    return _show(request, _found(pk))


@require_POST
def clone(request: HttpRequest, pk: int) -> HttpResponse:
    """Add a configuration with some settings changed, and run it."""
    found = _found(pk)
    number, changes = as_id(request.POST.get("number")), request.POST.get("changes", "")
    try:
        made = clone_configuration(sweep=found, number=number, changes=named_lines(changes, "changes"))
    except ConfigError as error:
        return _show(request, found, 422, clone={"number": number, "changes": changes, "error": str(error)})
    messages.success(request, f"Added {made.label}.")
    return redirect("sweep", pk)


def _show(request: HttpRequest, found: Sweep, status: int = 200, **more: Any) -> HttpResponse:
    table = sweep_table(found)
    shown = sweep_panel(table, request.GET, question_map(table) if table.scored else None)
    context = {"sweep": found, "shown": shown, "acts": True} | more
    return render_page(request, "sweeps/sweep.html", "sweeps/_sweep.html", context, status)


@require_POST
def act(request: HttpRequest, pk: int) -> HttpResponse:
    """Pause a sweep, let it go on, confirm what it recommends, keep or stop one configuration; or delete it:
    its runs stay.
    """
    found = _found(pk)
    action = request.POST.get("action", "")
    try:
        if action == "pause" and found.task is not None:
            request_cancel(found.task)
        elif action == "resume":
            resume_sweep(sweep=found)
        elif action == "confirm":
            number = sweep_table(found).recommendation.number
            confirm_sweep(sweep=found, number=number or 0)
        elif action == "fresh":
            number = sweep_table(found).recommendation.number
            confirm_afresh(sweep=found, number=number or 0, pairs=as_id(request.POST.get("pairs")))
        elif action in _OF_ONE:
            _OF_ONE[action](sweep=found, number=as_id(request.POST.get("number")))
        elif action in ("preset", "preferred"):
            messages.success(request, _kept(found, action, request.POST.get("preset_name", "")))
        elif action == "answer":
            return redirect("sweep", answer_best(sweep=found, table=sweep_table(found)).pk)
        elif action == "delete":
            delete_sweep(sweep=found)
            messages.success(request, f"{found} was deleted; its runs are still there.")
            return redirect("sweeps")
    except PipelineError as error:
        messages.error(request, str(error))
    return redirect("sweep", pk)


def _kept(found: Sweep, action: str, name: str) -> str:
    """Keep the recommended settings, as a preset or as the preferred ones; return what to say."""
    table = sweep_table(found)
    row = table.recommended
    if row is None:
        raise ConfigError("There is no recommendation yet. Wait until a configuration is scored.")
    pipeline, evaluation = row.configuration.spec, table.spec.evaluation
    if action == "preset":
        saved = save_preset(name=name or str(found), pipeline=pipeline, evaluation=evaluation, options=RunOptions())
        return f"Saved the preset “{saved}”."
    save_preferred(
        corpus=found.corpus, testset=found.testset, pipeline=pipeline, evaluation=evaluation, options=RunOptions()
    )
    return "Saved as preferred. The Workbench starts with these settings from now on."


@require_safe
def report(request: HttpRequest, pk: int) -> HttpResponse:
    """Download the sweep as one HTML file."""
    found = _found(pk)
    shown = sweep_panel(sweep_table(found), request.GET, None)
    return report_of("report/sweep.html", {"title": str(found), "sweep": found, "shown": shown}, "sweep.html")


@require_safe
def settings_file(request: HttpRequest, pk: int, ending: str) -> HttpResponse:
    """Download the recommended configuration as JSON, or as a Python program; 404 before there is one."""
    table = sweep_table(_found(pk))
    if table.recommended is None:
        raise Http404
    if ending == "py":
        return saved_as("pipeline.py", settings_program(table, table.recommended, "pipeline.py"), "text/x-python")
    return saved_as("settings.json", settings_json(table, table.recommended), "application/json")


@require_safe
def download(request: HttpRequest, pk: int, ending: str) -> HttpResponse:
    """Download sweep.csv or sweep.json."""
    table = sweep_table(_found(pk))
    data, kind = (sweep_csv(table), "text/csv") if ending == "csv" else (sweep_json(table), "application/json")
    saved = {"Content-Disposition": f'attachment; filename="sweep.{ending}"'}
    return HttpResponse(data, content_type=f"{kind}; charset=utf-8", headers=saved)


def _page(request: HttpRequest, form: SweepForm, status: int = 200, **more: Any) -> HttpResponse:
    rows = Sweep.objects.select_related("testset", "corpus", "task")
    context = {"form": form, "page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))}
    return render_page(request, PAGE, PART, context | {"any": TestSet.objects.exists()} | more, status)


def _found(pk: int) -> Sweep:
    return get_object_or_404(Sweep.objects.select_related("testset__corpus", "corpus", "task"), pk=pk)


urlpatterns = [
    path("sweeps/", sweeps, name="sweeps"),
    path("sweeps/start/", begin, name="sweep-start"),
    path("sweeps/<int:pk>/", sweep, name="sweep"),
    path("sweeps/<int:pk>/act/", act, name="sweep-act"),
    path("sweeps/<int:pk>/clone/", clone, name="sweep-clone"),
    path("sweeps/<int:pk>/sweep.html", report, name="sweep-report"),
    path("sweeps/<int:pk>/settings.json", settings_file, {"ending": "json"}, name="sweep-settings"),
    path("sweeps/<int:pk>/pipeline.py", settings_file, {"ending": "py"}, name="sweep-program"),
    path("sweeps/<int:pk>/sweep.csv", download, {"ending": "csv"}, name="sweep-csv"),
    path("sweeps/<int:pk>/sweep.json", download, {"ending": "json"}, name="sweep-json"),
]
