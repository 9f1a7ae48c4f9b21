"""Marking a run's answers, and what the marks say about the metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from evaluation.models import MARKED_ASPECTS, Answer, AnswerMark, Run
from evaluation.queries.calibration import calibrate
from evaluation.queries.marks import askable, last_marked, mark_counts, marks_of, next_to_mark
from evaluation.queries.questions import question_detail
from evaluation.services.marks import marks_csv, set_mark
from rag_pipeline.errors import ConfigError
from workbench.htmx import render_page, wants_part
from workbench.ids import as_id
from workbench.services.current_settings import chosen_corpus, finished_runs
from workbench.services.marking import MARKS, mark_rows
from workbench.views.frame import back

EVERY_RUN = "all"


@require_safe
def calibration(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how far each metric agrees with the marks, and the metrics with each other."""
    found = _found(pk)
    pooled = request.GET.get("marks") == EVERY_RUN
    elsewhere = AnswerMark.objects.filter(answer__run__testset=found.testset_id).exclude(answer__run=found)
    context: dict[str, Any] = {
        "run": found,
        "counts": mark_counts(found),
        "pooled": pooled,
        "elsewhere": elsewhere.values("answer__run").distinct().count(),
    }
    if found.current_scoring:
        context["calibration"] = calibrate(found, pooled=pooled, examined=request.GET.get("metric", ""))
    return render_page(request, "calibration/page.html", "calibration/_report.html", context)


@require_safe
def queue(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the next answer to mark, or the one called `answer`."""
    found, wanted = _found(pk), _wanted(request.GET.get("aspect", ""))
    chosen: int | None = as_id(request.GET.get("answer"))
    if chosen:
        get_object_or_404(Answer, pk=chosen, run=found)
    else:
        chosen = next_to_mark(found, wanted, as_id(request.GET.get("after")))
    return _queue_page(request, found, wanted, chosen)


@require_POST
def mark(request: HttpRequest, pk: int, answer_pk: int) -> HttpResponse:
    """Mark an answer: `mark` is right:1, right:0, grounded:1 …; nothing behind the colon takes the mark back."""
    found = _found(pk)
    answer = get_object_or_404(Answer, pk=answer_pk, run=found)
    aspect, _, value = request.POST.get("mark", "").partition(":")
    try:
        set_mark(answer=answer, aspect=aspect, value=MARKS.get(value))
    except ConfigError as error:
        messages.error(request, str(error))
    if "queue" in request.POST:
        return _go_on(request, found, answer.pk)
    if not wants_part(request):
        return back(request, reverse("run-question", args=[pk, answer.question_id]))
    rows = mark_rows(marks_of(answer.pk), MARKED_ASPECTS)
    context = {"run": found, "answer_id": answer.pk, "marks": rows, "next": request.POST.get("next")}
    return render_page(request, "calibration/_marks.html", "calibration/_marks.html", context)


@require_safe
def csv(request: HttpRequest, pk: int) -> HttpResponse:
    """Download the marks with the scores beside them."""
    response = HttpResponse(marks_csv(run=_found(pk)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="marks-run-{pk}.csv"'
    return response


def _found(pk: int) -> Run:
    return get_object_or_404(Run.objects.select_related("corpus", "testset__corpus", "task"), pk=pk)


def _wanted(aspect: str) -> tuple[str, ...]:
    """Return the marks that are asked for: one, or both."""
    return (aspect,) if aspect in MARKED_ASPECTS else MARKED_ASPECTS


def _go_on(request: HttpRequest, found: Run, answer: int) -> HttpResponse:
    """Stay with an answer until it has its marks, then go on to the next."""
    wanted = _wanted(request.POST.get("aspect", ""))
    asked = askable(found).get(answer, ())
    lacking = [aspect for aspect in wanted if aspect in asked and aspect not in marks_of(answer)]
    shown = answer if lacking else next_to_mark(found, wanted, answer)
    query = {"aspect": request.POST.get("aspect", "")} | ({"answer": str(shown)} if shown else {})
    address = f"{reverse('run-marks', args=[found.pk])}?{urlencode(query)}"
    if not wants_part(request):
        return redirect(address)
    response = _queue_page(request, found, wanted, shown)
    response["HX-Replace-Url"] = address
    return response


def _queue_page(request: HttpRequest, found: Run, wanted: Sequence[str], answer_id: int | None) -> HttpResponse:
    context: dict[str, Any] = {
        "run": found,
        "counts": [each for each in mark_counts(found) if each.aspect in wanted],
        "aspect": wanted[0] if len(wanted) == 1 else "",
        "before": last_marked(found, answer_id),
    }
    if answer_id:
        answer = get_object_or_404(Answer.objects.select_related("question"), pk=answer_id, run=found)
        asked = [aspect for aspect in askable(found).get(answer_id, ()) if aspect in wanted]
        rows = mark_rows(marks_of(answer_id), asked)
        context |= {
            "answer_id": answer_id,
            "detail": question_detail(run=found, question=answer.question, repeat=answer.repeat),
            "marks": rows,
            "complete": all(row.value is not None for row in rows),
        }
    return render_page(request, "calibration/queue.html", "calibration/_queue.html", context)


@require_safe
def latest(request: HttpRequest) -> HttpResponse:
    """Go to the calibration of the latest run of the chosen corpus."""
    runs = finished_runs().filter(retrieval_only=False)
    run = runs.filter(corpus=chosen_corpus()).first() or runs.first()
    if run is not None:
        return redirect("run-calibration", run.pk)
    messages.info(
        request, "Calibration compares the metrics with your marks on the answers of a run: make a run first."
    )
    return redirect("workbench")


urlpatterns = [
    path("calibration/", latest, name="calibration"),
    path("runs/<int:pk>/calibration/", calibration, name="run-calibration"),
    path("runs/<int:pk>/marks/", queue, name="run-marks"),
    path("runs/<int:pk>/marks.csv", csv, name="run-marks-csv"),
    path("runs/<int:pk>/marks/<int:answer_pk>/", mark, name="run-mark"),
]
