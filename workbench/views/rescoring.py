"""Scoring a run's stored answers again: other metrics, another way of recognising refusals, the formulas in force."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from evaluation.models import Run
from evaluation.services.rescoring import start_scoring_again
from evaluation.services.scoring import preview_scores
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError, PipelineError
from workbench.forms.runs import MetricsForm, RefusalForm
from workbench.htmx import render_page
from workbench.services.refusals import RefusalPreview, preview
from workbench.views.run import found_run, scored_with, show_summary


@require_safe
def refusals(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what other ways of recognising refusals would change, on the stored answers."""
    found = found_run(pk)
    form, tried, problem = _tried(request, found)
    context = {"run": found, "refusal_form": form, "preview": tried, "problem": problem}
    return render_page(request, "runs/refusals.html", "runs/_refusals.html", context, 422 if problem else 200)


@require_POST
def score(request: HttpRequest, pk: int) -> HttpResponse:
    """Queue scoring the stored answers again, with other metrics or another way of recognising refusals.

    The pipeline is asked nothing; a judge where metrics need one. With `again`, all as it was, which brings the
    formulas that are in force.
    """
    found = found_run(pk)
    if "further" in request.POST:
        return _score_further(request, found)
    if "again" in request.POST:
        return _start(request, found, EvaluationSpec.create(scored_with(found)), "run")
    form = RefusalForm(request.POST, initial={})
    if not form.is_valid():
        context = {"run": found, "refusal_form": form, "preview": None}
        return render_page(request, "runs/refusals.html", "runs/_refusals.html", context, 422)
    return _start(request, found, form.spec(scored_with(found)), "run-failures")


def _start(request: HttpRequest, found: Run, spec: EvaluationSpec, page: str) -> HttpResponse:
    try:
        start_scoring_again(run=found, spec=spec)
    except PipelineError as error:
        messages.error(request, str(error))
    return redirect(page, found.pk)


def _score_further(request: HttpRequest, found: Run) -> HttpResponse:
    """Queue scoring with the metrics, options and judge that were sent; a refusal stands beside its field."""
    form = MetricsForm(request.POST, initial={}, run=found)
    if form.is_valid():
        try:
            start_scoring_again(run=found, spec=form.spec(scored_with(found)))
            return redirect("run", found.pk)
        except ConfigError as error:
            form.refuse(error)
    return show_summary(request, found, status=422, metrics_form=form)


def _tried(request: HttpRequest, found: Run) -> tuple[RefusalForm, RefusalPreview | None, str]:
    current = found.current_scoring
    if current is None:
        return RefusalForm(initial={}), None, "This run has no scores yet."
    form = RefusalForm(request.GET if "refusal_threshold" in request.GET else None, initial=current.spec)
    if not form.is_bound:
        return form, None, ""
    if not form.is_valid():
        return form, None, str(next(iter(form.errors.values()))[0])
    try:
        return form, preview(found, preview_scores(run=found, spec=form.spec(current.spec))), ""
    except PipelineError as error:
        return form, None, str(error)


urlpatterns = [
    path("runs/<int:pk>/refusals/", refusals, name="run-refusals"),
    path("runs/<int:pk>/score/", score, name="run-score"),
]
