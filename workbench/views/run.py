"""One run: scores and their parts, refusals, the questions, the file."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from evaluation.exchange.base import RunWriter
from evaluation.models import MARKED_ASPECTS, Answer, Question, Run
from evaluation.queries.comparison import score_cards
from evaluation.queries.failures import failure_flow
from evaluation.queries.marks import marks_of
from evaluation.queries.questions import question_detail, question_rows
from evaluation.queries.runs import rows_of, runs_to_choose
from evaluation.services.files import export_run
from evaluation.services.rescoring import start_scoring_again
from evaluation.services.scoring import preview_scores
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError, PipelineError
from workbench.display.reader_answer import READER, page_of, reader_answer
from workbench.downloads import download_of
from workbench.forms.runs import MetricsForm, QuestionFilterForm, RefusalForm, RunNameForm
from workbench.htmx import render_page
from workbench.services.judge_facts import judge_facts
from workbench.services.known_models import known_judges
from workbench.services.marking import mark_rows
from workbench.services.preferences import preferred_bench
from workbench.services.refusals import RefusalPreview, preview
from workbench.services.run_facts import failures, further_scores, neighbours, run_facts, score_parts

TWINS = "twins"


@require_safe
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a run; htmx asks for its table of questions alone."""
    return show(request, _found(pk))


def show(
    request: HttpRequest,
    found: Run,
    name_form: RunNameForm | None = None,
    status: int = 200,
    metrics_form: MetricsForm | None = None,
) -> HttpResponse:
    """Render the page of a run."""
    context = _questions(request, found) | {
        "row": rows_of([found])[0],
        "others": [row for row in runs_to_choose(testset=found.testset) if row.run != found],
        "name_form": name_form or RunNameForm(instance=found),
        "formats": RunWriter.units(),
    }
    if found.current_scoring:
        preferred = preferred_bench().run
        cards = score_cards(run=found, previous=None, preferred=preferred)
        context |= {
            "cards": cards,
            "parts": score_parts(cards),
            "preferred": preferred if preferred and preferred.testset_id == found.testset_id else None,
            "refusal_form": RefusalForm(initial=found.current_scoring.spec),
            "further": further_scores(found),
            "failures": failures(found),
            "flow": failure_flow(found),
            "judge": judge_facts(found),
            "older": context["row"].how.older(),
        }
    if found.current_scoring or found.ended_unscored:
        context |= {
            "metrics_form": metrics_form or MetricsForm(initial=_scored_with(found), run=found),
            "judges": known_judges(),
        }
    return render_page(request, "runs/run.html", "runs/_questions.html", context | {"facts": run_facts(found)}, status)


@require_safe
def question(request: HttpRequest, pk: int, question_pk: int) -> HttpResponse:
    """Show everything about one answer."""
    found = _found(pk)
    asked = get_object_or_404(Question, pk=question_pk, testset=found.testset_id)
    repeat = request.GET.get("repeat", "0")
    try:
        detail = question_detail(run=found, question=asked, repeat=int(repeat) if repeat.isdecimal() else 0)
    except Answer.DoesNotExist:
        return render(request, "runs/unasked.html", {"run": found, "question": asked}, status=404)
    context = {"detail": detail, "run": found, "around": neighbours(found, asked), "answer_id": detail.row.answer_id}
    said = detail.details.get(READER)
    context |= {
        "reader": reader_answer(said, found.pipeline, page_of(said)),
        "reported": {name: value for name, value in detail.details.items() if name != READER},
    }
    if not detail.row.error:
        context["marks"] = mark_rows(
            marks_of(detail.row.answer_id), MARKED_ASPECTS if detail.contexts else MARKED_ASPECTS[:1]
        )
    return render_page(request, "runs/question.html", "runs/_question.html", context)


@require_safe
def download(request: HttpRequest, pk: int, writer: type[RunWriter]) -> HttpResponse:
    """Download a run in a format, eval.csv with the bytes that are kept in the data folder."""
    return download_of(writer, export_run(run=_found(pk), writer=writer))


@require_safe
def refusals(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what other ways of recognising refusals would change, on the stored answers."""
    found = _found(pk)
    form, tried, problem = _tried(request, found)
    context = {"run": found, "refusal_form": form, "preview": tried, "problem": problem}
    return render_page(request, "runs/refusals.html", "runs/_refusals.html", context, 422 if problem else 200)


@require_POST
def score(request: HttpRequest, pk: int) -> HttpResponse:
    """Queue scoring the stored answers again, with other metrics or another way of recognising refusals.

    The pipeline is asked nothing; a judge where metrics need one.
    """
    found = _found(pk)
    if "further" in request.POST:
        return _score_further(request, found)
    if "again" in request.POST:
        return _score_as_before(request, found)
    form = RefusalForm(request.POST, initial={})
    if not form.is_valid():
        context = {"run": found, "refusal_form": form, "preview": None}
        return render_page(request, "runs/refusals.html", "runs/_refusals.html", context, 422)
    try:
        start_scoring_again(run=found, spec=form.spec(_scored_with(found)))
    except PipelineError as error:
        messages.error(request, str(error))
    return redirect("run", pk)


def _score_as_before(request: HttpRequest, found: Run) -> HttpResponse:
    """Queue scoring with the settings of the present scoring, which brings the formulas that are in force."""
    try:
        start_scoring_again(run=found, spec=EvaluationSpec.create(_scored_with(found)))
    except PipelineError as error:
        messages.error(request, str(error))
    return redirect("run", found.pk)


def _score_further(request: HttpRequest, found: Run) -> HttpResponse:
    """Queue scoring with the metrics, options and judge that were sent; a refusal stands beside its field."""
    form = MetricsForm(request.POST, initial={}, run=found)
    if form.is_valid():
        try:
            start_scoring_again(run=found, spec=form.spec(_scored_with(found)))
            return redirect("run", found.pk)
        except ConfigError as error:
            form.refuse(error)
    return show(request, found, status=422, metrics_form=form)


def _scored_with(found: Run) -> dict[str, Any]:
    spec: dict[str, Any] = found.current_scoring.spec if found.current_scoring else found.evaluation
    return spec


def _found(pk: int) -> Run:
    return get_object_or_404(Run.objects.select_related("corpus", "testset__corpus", "task", "scoring_task"), pk=pk)


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


def _questions(request: HttpRequest, found: Run) -> dict[str, Any]:
    """Return the table of questions as the address asks for it."""
    form = QuestionFilterForm(request.GET, run=found)
    filters, sort = form.filters, request.GET.get("sort", "position")
    twins = request.GET.get("view") == TWINS
    if twins:
        filters = form.twin_filters
    number = request.GET.get("page", "1")
    page = question_rows(run=found, filters=filters, sort=sort, page=int(number) if number.isdecimal() else 1)
    context = {"run": found, "filter_form": form, "questions": page, "sort": sort, "twins": twins}
    return context | {"extra": form.extra_column(sort)}


urlpatterns = [
    path("runs/<int:pk>/", run, name="run"),
    path("runs/<int:pk>/<run_file:writer>", download, name="run-file"),
    path("runs/<int:pk>/questions/<int:question_pk>/", question, name="run-question"),
    path("runs/<int:pk>/refusals/", refusals, name="run-refusals"),
    path("runs/<int:pk>/score/", score, name="run-score"),
]
