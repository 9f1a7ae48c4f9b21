"""The page Score: answers of any other system, scored, and each of their rows."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluation.exchange.base import AnswersWriter
from evaluation.exchange.formats.answers_jsonl import AnswersJsonl
from evaluation.models import AnswerFile
from evaluation.queries.answer_files import MetricGroup, answer_row, answer_rows, group_tables, metric_groups
from evaluation.services.answer_files import add_answer_file, delete_answer_file, score_file_again
from rag_pipeline.errors import ConfigError, InUseError
from workbench.forms.score import AnswerFileForm, ScoringForm
from workbench.htmx import render_page
from workbench.ids import as_id
from workbench.services.known_models import known_judges
from workbench.services.sample import FOLDER

EXAMPLE = FOLDER / "answers.jsonl"
FILES_A_PAGE = 30


@require_safe
def score(request: HttpRequest) -> HttpResponse:
    """Show the form and the earlier files."""
    return _page(request, AnswerFileForm())


@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    """Take a file, or the example, and start scoring it; one that does not fit is refused with its lines."""
    form = AnswerFileForm(request.POST, request.FILES)
    form.fields["file"].required = "example" not in request.POST
    if form.is_valid():
        sent = form.cleaned_data["file"]
        name, data = (sent.name, sent.read()) if sent else (EXAMPLE.name, EXAMPLE.read_bytes())
        try:
            made = add_answer_file(
                name=name, data=data, spec=form.spec, names=form.names, refusal=form.cleaned_data["refusal"]
            )
            return HttpResponseRedirect(reverse("score-file", args=[made.pk]))
        except ConfigError as error:
            form.refuse(error)
    return _page(request, form)


@require_safe
def example(request: HttpRequest) -> FileResponse:
    """Download a file to try the page with."""
    return FileResponse(EXAMPLE.open("rb"), as_attachment=True, content_type=AnswersJsonl.content_type)


@require_safe
def answer_file(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the scores of a file and a page of its rows."""
    return _file_page(request, _found(pk))


@require_safe
def row(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Show everything about one row."""
    found = _found(pk)
    shown = answer_row(found, number)
    if shown is None:
        raise Http404(f"“{found}” has no scored row {number}.")
    return render(request, "score/row.html", {"file": found, "row": shown})


@require_POST
def again(request: HttpRequest, pk: int) -> HttpResponse:
    """Score a file again with other metrics or another judge."""
    found = _found(pk)
    form = ScoringForm(request.POST, base=found.spec)
    if form.is_valid():
        try:
            score_file_again(file=found, spec=form.spec, names=form.names, refusal=form.cleaned_data["refusal"])
            return HttpResponseRedirect(reverse("score-file", args=[pk]))
        except ConfigError as error:
            form.refuse(error)
    return _file_page(request, found, form)


@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a file with its scores."""
    found = _found(pk)
    try:
        delete_answer_file(file=found)
    except InUseError as error:
        messages.error(request, str(error))
        return HttpResponseRedirect(reverse("score-file", args=[pk]))
    messages.success(request, f"“{found}” was deleted.")
    return HttpResponseRedirect(reverse("score"))


@require_safe
def download(request: HttpRequest, pk: int, name: str) -> FileResponse:
    """Download scored answers in a format, the bytes that `manage.py score` writes."""
    place = _found(pk).folder / name
    writer = next((unit for unit in AnswersWriter.units() if unit.filename == name), None)
    if writer is None or not place.exists():
        raise Http404("There is no such file.")
    return FileResponse(place.open("rb"), as_attachment=True, filename=name, content_type=writer.content_type)


def _page(request: HttpRequest, form: AnswerFileForm) -> HttpResponse:
    files = AnswerFile.objects.select_related("task")
    page = Paginator(files, FILES_A_PAGE).get_page(request.GET.get("page"))
    context = {"form": form, "page": page, "judges": known_judges()}
    return render(request, "score/page.html", context, status=422 if form.errors else 200)


def _file_page(request: HttpRequest, found: AnswerFile, form: ScoringForm | None = None) -> HttpResponse:
    """Render a file's page; `form` came back with errors."""
    groups = metric_groups(found)
    asked = request.GET.get("group")
    shown = next((each for each in groups if each.name == asked), None) or _first(groups)
    names = [line.metric.key for line in shown.lines] if shown else []
    sort = request.GET.get("sort", "position")
    start = {"metrics": found.metrics, "refusal": found.refusal}
    context = {
        "file": found,
        "formats": AnswersWriter.units(),
        "groups": groups,
        "shown": shown,
        "tables": group_tables(found, names),
        "rows": answer_rows(found, sort=sort, page=as_id(request.GET.get("page")) or 1),
        "sort": sort,
        "sort_target": "#rows",
        "judges": known_judges(),
        "form": form or ScoringForm(base=found.spec, initial=found.spec | start),
    }
    return render_page(request, "score/file.html", "score/_rows.html", context, 422 if form else 200)


def _first(groups: list[MetricGroup]) -> MetricGroup | None:
    return next((each for each in groups if each.scored), groups[0] if groups else None)


def _found(pk: int) -> AnswerFile:
    return get_object_or_404(AnswerFile.objects.select_related("task"), pk=pk)


urlpatterns = [
    path("score/", score, name="score"),
    path("score/upload/", upload, name="score-upload"),
    path("score/example.jsonl", example, name="score-example"),
    path("score/<int:pk>/", answer_file, name="score-file"),
    path("score/<int:pk>/rows/<int:number>/", row, name="score-row"),
    path("score/<int:pk>/again/", again, name="score-again"),
    path("score/<int:pk>/delete/", delete, name="score-delete"),
    path("score/<int:pk>/<str:name>", download, name="score-download"),
]
