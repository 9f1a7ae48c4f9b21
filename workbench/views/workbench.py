"""The Workbench: settings at the left, what they lead to at the right."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from asgiref.sync import async_to_sync
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluation.models import Run, TestSet
from evaluation.services.paces import pilot as measure_model
from evaluation.services.runs import asked_questions, quick_options, start_run
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError, PipelineError
from rag_pipeline.llm.connection import test_connection
from rag_pipeline.models import Corpus
from rag_pipeline.services.prompts import get_prompt, save_prompt
from workbench.forms.sweeps import sweep_query
from workbench.forms.workbench import SettingsForm
from workbench.htmx import render_page, wants_part
from workbench.ids import as_id
from workbench.models import WorkbenchState
from workbench.services.current_settings import choose_corpus
from workbench.services.preferences import Bench, bench_of_run, preferred_bench, save_preferred
from workbench.services.results_panel import Results, results
from workbench.services.sample import loading_sample, sample_so_far
from workbench.views.settings_panel import settings_panel

SETTINGS = "workbench/_settings.html"


@require_safe
def workbench(request: HttpRequest) -> HttpResponse:
    """Show settings and results. `run` starts from a run's settings; a setting's name overrides one.

    Without any, all is as it was left.
    """
    loading = loading_sample()
    if loading is not None:
        return render(request, "workbench/sample.html", {"task": loading, "sample": sample_so_far()})
    preferred = preferred_bench()
    if preferred.corpus is None:
        return render_page(request, "workbench/empty.html", "workbench/empty.html")
    asked = _with_remembered(request.GET)
    base = base_of(asked, preferred)
    given = base.values | asked.dict() | _library_prompt(request, asked)
    form = SettingsForm(initial=given)
    _remember(form, preferred, base)
    return _show(request, form, preferred, base)


@require_safe
def sample(request: HttpRequest) -> HttpResponse:
    """Return the sample's answers so far."""
    return render(request, "workbench/_sample_answers.html", {"sample": sample_so_far()})


@require_safe
def results_part(request: HttpRequest) -> HttpResponse:
    """Return the results alone: after a run has ended, or for another score on the chart."""
    corpus = get_object_or_404(Corpus, pk=as_id(request.GET.get("corpus")))
    testset = get_object_or_404(TestSet, pk=as_id(request.GET.get("testset")), corpus=corpus)
    if not wants_part(request):
        return redirect(f"{reverse('workbench')}?{request.GET.urlencode()}")
    shown = results(
        corpus=corpus,
        testset=testset,
        agreement=request.GET.get("agreement", ""),
        chunk_unit=request.GET.get("chunk_unit", ""),
        run=as_id(request.GET.get("run")),
        preferred=preferred_bench().run,
        score=request.GET.get("score", ""),
    )
    return render(request, "workbench/_results.html", {"results": shown})


@require_POST
def settings(request: HttpRequest) -> HttpResponse:
    """Take over the form as it stands, after an undo, a chosen prompt or a reset. Stores nothing."""
    preferred = preferred_bench()
    if "reset" in request.POST:
        return move_to(request, SettingsForm(initial=preferred.values), preferred, preferred)
    sent = sent_form(request)
    values: dict[str, Any] = {name: sent.value(name) for name in sent.fields}
    undo = request.POST.get("undo", "")
    values |= {undo: preferred.values.get(undo)} if undo in values else _library_prompt(request, request.POST)
    return move_to(request, SettingsForm(initial=values), preferred, base_of(request.POST, preferred))


@require_POST
def estimate(request: HttpRequest) -> HttpResponse:
    """Say what a run would cost, and mark what differs from the preferred settings."""
    form, preferred = sent_form(request), preferred_bench()
    if not wants_part(request):
        return settings(request)
    _remember(form, preferred, base_of(request.POST, preferred))
    shown = Run.objects.filter(pk=as_id(request.POST.get("shown"))).first()
    panel = settings_panel(form, preferred, shown)
    return render(request, "workbench/_live.html", panel, status=422 if panel["problem"] else 200)


@require_POST
def evaluate(request: HttpRequest) -> HttpResponse:
    """Start a run with these settings; `quick` asks only about ten questions. Several values lead to a sweep's plan."""
    form, preferred = sent_form(request), preferred_bench()
    if form.is_valid() and form.grid:
        return _plan_sweep(request, form)
    run = _start(form, quick="quick" in request.POST) if form.is_valid() else None
    if run is None:
        return refused(request, form, preferred)
    base = bench_of_run(run)
    values = base.values | {"limit": form.options.limit}  # the next run asks all questions again
    response = move_to(request, SettingsForm(initial=values), preferred, base)
    response["HX-Trigger-After-Settle"] = "run-started"
    return response


def _plan_sweep(request: HttpRequest, form: SettingsForm) -> HttpResponse:
    """Go to the plan of a sweep over the values that the form holds."""
    query = sweep_query(
        testset=form.cleaned_data["testset"], grid=form.grid, spec=form.spec, evaluation=form.evaluation
    )
    address = f"{reverse('sweeps')}?{urlencode(query)}#sweep-form"
    return HttpResponse(headers={"HX-Redirect": address}) if wants_part(request) else redirect(address)


@require_POST
def preferences(request: HttpRequest) -> HttpResponse:
    """Save these settings as preferred."""
    form = sent_form(request)
    if not form.is_valid():
        return refused(request, form, preferred_bench())
    save_preferred(
        corpus=form.cleaned_data["corpus"],
        testset=form.cleaned_data["testset"],
        pipeline=form.spec,
        evaluation=form.evaluation,
        options=form.options,
    )
    messages.success(request, "Saved as preferred. The Workbench starts with these settings from now on.")
    preferred = preferred_bench()
    return move_to(request, SettingsForm(initial=preferred.values), preferred, base_of(request.POST, preferred))


@require_POST
def library(request: HttpRequest) -> HttpResponse:
    """Save the prompt in the library under a name."""
    form, preferred = sent_form(request), preferred_bench()
    try:
        saved = save_prompt(name=request.POST.get("library_name", ""), text=request.POST.get("prompt", ""))
    except ConfigError as error:
        return refused(request, form, preferred, library_error=str(error))
    messages.success(request, f"Saved the prompt “{saved}”.")
    values = {name: form.value(name) for name in form.fields}
    return move_to(request, SettingsForm(initial=values), preferred, base_of(request.POST, preferred))


@require_POST
def connection(request: HttpRequest) -> HttpResponse:
    """Ask the chosen model, or the judge, for a few words, to see whether key, address and name are right."""
    which = "judge" if request.POST.get("which") == "judge" else "llm"
    model = request.POST.get(which, "").strip()
    try:
        if which == "judge" and model:
            EvaluationSpec.create({"judge": model})
        said, good = async_to_sync(test_connection)(model), True
    except PipelineError as error:
        said, good = str(error), False
    if wants_part(request):
        return render(request, "workbench/_connection.html", {"said": said, "good": good, "which": which})
    (messages.success if good else messages.error)(request, said)
    return settings(request)


@require_POST
def pilot(request: HttpRequest) -> HttpResponse:
    """Ask the model three questions, to know what a run will take, and show the form again."""
    form, preferred = sent_form(request), preferred_bench()
    if not form.is_valid():
        return refused(request, form, preferred)
    testset, options = form.cleaned_data["testset"], form.options.model_copy(update={"limit": 3})
    try:
        questions = asked_questions(testset=testset, options=options)
        measure_model(corpus=form.cleaned_data["corpus"], questions=questions, spec=form.spec)
    except PipelineError as error:
        messages.error(request, f"The pilot failed: {error}")
    values = {name: form.value(name) for name in form.fields}
    return move_to(request, SettingsForm(initial=values), preferred, base_of(request.POST, preferred))


def _library_prompt(request: HttpRequest, given: QueryDict) -> dict[str, str]:
    """Return the prompt that is asked for by its name in the library; nothing where that is the name that stood."""
    name = given.get("library", "")
    if name == given.get("library_was", ""):
        return {}
    try:
        return {"prompt": get_prompt(name=name).text}
    except ConfigError as error:
        messages.error(request, str(error))
        return {}


def sent_form(request: HttpRequest) -> SettingsForm:
    """Return the form as it was sent."""
    return SettingsForm(request.POST, initial=preferred_bench().values)


def _start(form: SettingsForm, *, quick: bool) -> Run | None:
    """Start the run; None when it was refused, with the reason beside its field."""
    testset, options = form.cleaned_data["testset"], form.options
    try:
        return start_run(
            corpus=form.cleaned_data["corpus"],
            testset=testset,
            spec=form.spec,
            evaluation=form.evaluation,
            options=quick_options(testset=testset, options=options) if quick else options,
            contexts_from=form.cleaned_data["contexts_from"],
        )
    except ConfigError as error:
        form.refuse(error)
        return None


def base_of(given: QueryDict, preferred: Bench) -> Bench:
    """Return what the page starts from: the run it was asked for, else the preferred settings."""
    run = Run.objects.select_related("corpus", "testset").filter(pk=as_id(given.get("run"))).first()
    return bench_of_run(run) if run else preferred


def _show(request: HttpRequest, form: SettingsForm, preferred: Bench, base: Bench, status: int = 200) -> HttpResponse:
    context = whole(request, form, preferred, base)
    return render_page(request, "workbench/page.html", "workbench/_bench.html", context, status)


def refused(request: HttpRequest, form: SettingsForm, preferred: Bench, **said: str) -> HttpResponse:
    """Show the form with what is wrong in it; `said` is what is wrong beside its fields."""
    context = whole(request, form, preferred) | said
    return render_page(request, "workbench/page.html", SETTINGS, context, 422)


def move_to(request: HttpRequest, form: SettingsForm, preferred: Bench, base: Bench) -> HttpResponse:
    """Go to the address that holds the form's state; htmx gets its parts at once."""
    query = _remember(form, preferred, base)
    address = reverse("workbench") + (f"?{query}" if query else "")
    if not wants_part(request):
        return redirect(address)
    response = _show(request, form, preferred, base)
    response["HX-Push-Url"] = address
    return response


def _with_remembered(given: QueryDict) -> QueryDict:
    """Return what the address asks for; where it names a corpus or a test set at most, over what was left."""
    if set(given) - {"corpus", "testset"}:
        return given
    asked = Corpus.objects.filter(pk=as_id(given.get("corpus"))).first()
    if asked:
        choose_corpus(asked)
    left = QueryDict(WorkbenchState.load(), mutable=True)
    for name in given:
        left[name] = str(given[name])
    gone = "corpus" in left and not Corpus.objects.filter(pk=as_id(left.get("corpus"))).exists()
    return given if gone else left


def _remember(form: SettingsForm, preferred: Bench, base: Bench) -> str:
    """Keep how the Workbench stands; return that as a query string.

    A corpus that was chosen is kept by its name, also where it is the usual one: others may be made.
    """
    run = f"run={base.run.pk}" if base.run is not None and base is not preferred else ""
    query = "&".join(part for part in (run, form.as_query(base.values)) if part)
    corpus = form.key("corpus")
    chosen = "corpus" in QueryDict(WorkbenchState.load()) and "corpus" not in QueryDict(query) and corpus
    WorkbenchState.store(f"{query}&corpus={corpus}".removeprefix("&") if chosen else query)
    return query


def whole(request: HttpRequest, form: SettingsForm, preferred: Bench, base: Bench | None = None) -> dict[str, Any]:
    """Return what the page shows: settings and results."""
    base = base or base_of(request.POST, preferred)
    run = base.run.pk if base.run is not None and base is not preferred else None
    found = _results_of(request, form, preferred, run)
    shown = found.shown.run if found is not None and found.shown is not None else None
    return settings_panel(form, preferred, shown) | {"results": found, "run": run, "shown": shown}


def _results_of(request: HttpRequest, form: SettingsForm, preferred: Bench, run: int | None) -> Results | None:
    corpus = Corpus.objects.filter(pk=form.key("corpus") or 0).first()
    if corpus is None:
        return None
    return results(
        corpus=corpus,
        testset=TestSet.objects.filter(pk=form.key("testset") or 0, corpus=corpus).first(),
        agreement=str(form.value("agreement")),
        chunk_unit=str(form.value("chunk_unit")),
        run=run,
        preferred=preferred.run,
        score=request.GET.get("score", ""),
    )


urlpatterns = [
    path("", workbench, name="workbench"),
    path("sample/", sample, name="sample"),
    path("results/", results_part, name="results"),
    path("settings/", settings, name="settings"),
    path("settings/estimate/", estimate, name="estimate"),
    path("settings/preferred/", preferences, name="preferences"),
    path("settings/prompt/", library, name="save-prompt"),
    path("settings/pilot/", pilot, name="pilot"),
    path("settings/connection/", connection, name="connection"),
    path("evaluate/", evaluate, name="evaluate"),
]
