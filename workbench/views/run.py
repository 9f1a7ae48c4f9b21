"""One run in parts, each with its own address: summary, failures, questions, settings; and one answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.views.decorators.http import require_safe

from evaluation.exchange.base import RunWriter
from evaluation.models import MARKED_ASPECTS, Answer, Question, Run
from evaluation.queries.comparison import score_cards
from evaluation.queries.failures import failure_flow, speaking_metrics
from evaluation.queries.marks import marks_of
from evaluation.queries.questions import question_detail, question_rows
from evaluation.queries.run_groups import metadata_keys, scores_by
from evaluation.queries.runs import rows_of, runs_to_choose, with_current_scoring
from evaluation.services.files import export_run
from evaluation.spec import HEADLINE
from workbench.display.reader_answer import READER, page_of, reader_answer
from workbench.display.run_options import run_options
from workbench.downloads import download_of, saved_as
from workbench.forms.runs import MetricsForm, QuestionFilterForm, RefusalForm, RunNameForm
from workbench.htmx import render_page
from workbench.services.judge_facts import judge_facts, without_verdict
from workbench.services.known_models import known_judges
from workbench.services.marking import mark_rows
from workbench.services.preferences import preferred_bench
from workbench.services.run_costs import stage_costs
from workbench.services.run_facts import failures, further_scores, neighbours, run_facts, score_parts
from workbench.services.run_report import run_report

TWINS = "twins"
IN_SUMMARY = 10
"""Questions that the summary shows."""


@dataclass(frozen=True, slots=True)
class RunPart:
    """A part of the page of a run: its name on screen and that of its address; what htmx gets of it, and all of it."""

    label: str
    view: str
    swapped: str
    template: str


TABLE = "runs/_questions.html"
SUMMARY = RunPart("Summary", "run", TABLE, "runs/_summary.html")
FAILURES = RunPart("Failures", "run-failures", "runs/_lost.html", "runs/_lost.html")
QUESTIONS = RunPart("Questions", "run-questions", TABLE, "runs/_asked.html")
SETTINGS = RunPart("Settings", "run-settings", "runs/_facts.html", "runs/_facts.html")
PARTS = (SUMMARY, FAILURES, QUESTIONS, SETTINGS)


@require_safe
def summary(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a run's scores, what they are made of and what they cost; htmx asks for its table of questions alone."""
    return show_summary(request, found_run(pk))


def show_summary(
    request: HttpRequest,
    found: Run,
    name_form: RunNameForm | None = None,
    status: int = 200,
    metrics_form: MetricsForm | None = None,
) -> HttpResponse:
    """Render the summary of a run."""
    scoring = found.current_scoring
    context = _questions(request, found, per_page=IN_SUMMARY) | {
        "others": run_options(
            sorted(
                (each for each in runs_to_choose(testset=found.testset) if each.pk != found.pk),
                key=lambda each: not each.baseline,
            )
        ),
        "name_form": name_form or RunNameForm(instance=found),
        "facts": run_facts(found),
        "costs": stage_costs(found, scoring),
    }
    if scoring:
        context |= _scores(request, found)
    if scoring or found.ended_unscored:
        context |= {
            "metrics_form": metrics_form or MetricsForm(initial=scored_with(found), run=found),
            "judges": known_judges(),
        }
    return _part(request, found, SUMMARY, context, status)


def _scores(request: HttpRequest, found: Run) -> dict[str, Any]:
    """Return the cards of a scored run, and its scores by parts or by what the address asks for."""
    preferred = preferred_bench().run
    cards = score_cards(run=found, previous=None, preferred=preferred)
    further, keys = further_scores(found), metadata_keys(found)
    by = request.GET.get("by", "")
    shown = (*HEADLINE, *(each.metric.key for each in further))
    return {
        "cards": cards,
        "parts": score_parts(cards),
        "preferred": preferred if preferred and preferred.testset_id == found.testset_id else None,
        "further": further,
        "keys": keys,
        "table": scores_by(found, by, shown) if by in keys else None,
    }


@require_safe
def failures_part(request: HttpRequest, pk: int) -> HttpResponse:
    """Show where answers were lost, what failed, and what counts as a refusal."""
    found = found_run(pk)
    scoring = found.current_scoring
    context: dict[str, Any] = {"failures": failures(found), "flow": failure_flow(found)}
    if scoring:
        context |= {"refusal_form": RefusalForm(initial=scoring.spec), "points": speaking_metrics(scoring)}
    return _part(request, found, FAILURES, context)


@require_safe
def questions_part(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the questions of a run; htmx asks for the table alone."""
    found = found_run(pk)
    return _part(request, found, QUESTIONS, _questions(request, found))


@require_safe
def settings_part(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the settings that a run was made and scored with, and its judge."""
    found = found_run(pk)
    return _part(request, found, SETTINGS, {"facts": run_facts(found), "judge": judge_facts(found)})


def _part(request: HttpRequest, found: Run, part: RunPart, context: dict[str, Any], status: int = 200) -> HttpResponse:
    """Render a part below the head that all have in common."""
    row = rows_of([found])[0]
    context |= {
        "run": found,
        "row": row,
        "formats": RunWriter.units(),
        "run_parts": PARTS,
        "part": part,
        "older": row.how.older() if found.current_scoring else [],
        "no_verdict": without_verdict(found),
    }
    return render_page(request, "runs/run.html", part.swapped, context, status)


@require_safe
def question(request: HttpRequest, pk: int, question_pk: int) -> HttpResponse:
    """Show everything about one answer."""
    found = found_run(pk)
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
def report(request: HttpRequest, pk: int) -> HttpResponse:
    """Download a run as one file that opens without a network."""
    return saved_as("run.html", run_report(found_run(pk)).encode("utf-8", errors="replace"), "text/html")


@require_safe
def download(request: HttpRequest, pk: int, writer: type[RunWriter]) -> HttpResponse:
    """Download a run in a format, eval.csv with the bytes that are kept in the data folder."""
    return download_of(writer, export_run(run=found_run(pk), writer=writer))


def found_run(pk: int) -> Run:
    """Return a run with what its pages need. Raises Http404."""
    runs = Run.objects.select_related("corpus", "testset__corpus", "task", "scoring_task")
    return get_object_or_404(with_current_scoring(runs), pk=pk)


def scored_with(found: Run) -> dict[str, Any]:
    """Return the settings that a run is scored with, or is to be."""
    spec: dict[str, Any] = found.current_scoring.spec if found.current_scoring else found.evaluation
    return spec


def _questions(request: HttpRequest, found: Run, per_page: int = 25) -> dict[str, Any]:
    """Return the table of questions as the address asks for it."""
    form = QuestionFilterForm(request.GET, run=found)
    filters, sort = form.filters, request.GET.get("sort", "position")
    twins = request.GET.get("view") == TWINS
    if twins:
        filters = form.twin_filters
    number = request.GET.get("page", "1")
    page = question_rows(
        run=found, filters=filters, sort=sort, page=int(number) if number.isdecimal() else 1, per_page=per_page
    )
    context = {"filter_form": form, "questions": page, "sort": sort, "twins": twins}
    return context | {"extra": form.extra_column(sort)}


urlpatterns = [
    path("runs/<int:pk>/", summary, name="run"),
    path("runs/<int:pk>/failures/", failures_part, name="run-failures"),
    path("runs/<int:pk>/questions/", questions_part, name="run-questions"),
    path("runs/<int:pk>/settings/", settings_part, name="run-settings"),
    path("runs/<int:pk>/report.html", report, name="run-report"),
    path("runs/<int:pk>/<run_file:writer>", download, name="run-file"),
    path("runs/<int:pk>/questions/<int:question_pk>/", question, name="run-question"),
]
