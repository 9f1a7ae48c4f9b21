"""Test sets: generate, import, look through, download, delete."""

from __future__ import annotations

import re
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluation.exchange.base import TestSetWriter
from evaluation.generator_spec import GeneratorSpec
from evaluation.models import TestSet
from evaluation.question_writers.base import Completion
from evaluation.services.completing import lacking, start_completion
from evaluation.services.files import export_testset
from evaluation.services.given_contexts import contexts_from_file
from evaluation.services.imports import import_testset
from evaluation.services.testsets import delete_testset, resume_generation, start_generation
from rag_pipeline.errors import InUseError, PipelineError
from rag_pipeline.models import BackgroundTask, Corpus
from workbench.downloads import download_of
from workbench.forms.testsets import CompleteForm, ContextsForm, GenerateForm, ImportForm, QuestionFilter
from workbench.htmx import render_page
from workbench.ids import as_id
from workbench.services.current_settings import chosen_corpus, preferred_generator
from workbench.services.question_list import (
    counts_of,
    is_read_again,
    newest_pairs,
    pair_page,
    qualities_of,
    testset_rows,
    transformations_of,
)
from workbench.views.tuning_panel import tuning_panel

NEWEST_SHOWN = 8
SETS_A_PAGE = 50


@require_safe
def testsets(request: HttpRequest) -> HttpResponse:
    """List the test sets, with the forms that make one."""
    return _list(request)


@require_POST
def generate(request: HttpRequest) -> HttpResponse:
    """Start writing a test set in the background and show it growing."""
    form = GenerateForm(request.POST)
    if form.is_valid():
        try:
            made = start_generation(corpus=form.cleaned_data["corpus"], name=form.cleaned_data["name"], spec=form.spec)
            return HttpResponseRedirect(reverse("testset", args=[made.pk]))
        except PipelineError as error:
            _add_error(form, error)
    return _list(request, generate=form)


@require_POST
def resume(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a writing that failed or was cancelled go on."""
    try:
        resume_generation(testset=_found(pk))
    except PipelineError as error:
        messages.error(request, str(error))
    return HttpResponseRedirect(reverse("testset", args=[pk]))


@require_POST
def complete(request: HttpRequest, pk: int) -> HttpResponse:
    """Start completing a test set in the background: its next version gets what it lacks."""
    found = _found(pk)
    form = CompleteForm(request.POST, prefix="complete")
    if form.is_valid():
        try:
            made = start_completion(testset=found, wanted=form.wanted)
            return HttpResponseRedirect(reverse("testset", args=[made.pk]))
        except PipelineError as error:
            _add_error(form, error)
    return testset_page(request, found, completing=form)


@require_POST
def importing(request: HttpRequest) -> HttpResponse:
    """Import a test set; a file that does not fit is refused with its rows and reasons."""
    form = ImportForm(request.POST, request.FILES, prefix="import")
    if form.is_valid():
        values = form.cleaned_data
        try:
            made = import_testset(
                corpus=values["corpus"],
                name=values["name"],
                file=_content(values["file"]),
                answers=_content(values["answers"]) if values["answers"] else None,
            )
            messages.success(request, f"Imported {made.questions.count()} questions.")
            return HttpResponseRedirect(reverse("testset", args=[made.pk]))
        except PipelineError as error:
            _add_error(form, error, fallback="file")
    return _list(request, importing=form)


@require_safe
def testset(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a test set: how it was made, and its questions with filters."""
    return testset_page(request, _found(pk))


@require_safe
def download(request: HttpRequest, pk: int, writer: type[TestSetWriter]) -> HttpResponse:
    """Download a test set in a format."""
    return download_of(writer, export_testset(testset=_found(pk), writer=writer))


@require_POST
def contexts(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep the contexts of a file, so that runs can answer from them; refused with the reason where they do not fit."""
    found = _found(pk)
    form = ContextsForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            run = contexts_from_file(testset=found, file=_content(form.cleaned_data["contexts"]))
            messages.success(request, f"{run.notes[0]} Choose “{run}” under Contexts from.")
            return HttpResponseRedirect(f"{reverse('workbench')}?testset={found.pk}&contexts_from={run.pk}")
        except PipelineError as error:
            _add_error(form, error, fallback="contexts")
    return testset_page(request, found, contexts_form=form)


@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a version that no run used."""
    found = _found(pk)
    name = str(found)
    try:
        delete_testset(testset=found)
    except InUseError as error:
        return testset_page(request, found, delete_error=str(error))
    messages.success(request, f"The test set “{name}” was deleted.")
    return HttpResponseRedirect(reverse("testsets"))


def testset_page(request: HttpRequest, found: TestSet, **values: Any) -> HttpResponse:
    """Render the page of a test set; `values` carry what went wrong."""
    writing = found.task is not None and found.task.active
    qualities = qualities_of(found)
    filters = QuestionFilter(request.GET, transformations=transformations_of(found), qualities=bool(qualities))
    versions = TestSet.objects.filter(corpus=found.corpus_id, name=found.name).order_by("-version")
    context: dict[str, Any] = {
        "testset": found,
        "task": found.task if found.task and found.task.state != BackgroundTask.State.DONE else None,
        "writing": writing,
        "counts": counts_of(found),
        "versions": list(versions.only("pk", "version", "name")),
        "run_count": found.runs.count(),
        "filters": filters,
        "qualities": qualities,
        "read_again": is_read_again(found),
        "query": request.GET.urlencode(),
        "formats": TestSetWriter.units(),
        "contexts_form": ContextsForm(),
    }
    if writing:
        context["newest"] = newest_pairs(testset=found, count=NEWEST_SHOWN)
    else:
        context["list"] = pair_page(testset=found, chosen=filters.chosen, number=request.GET.get("page"))
        context |= {"completing": _complete_form(found)} | tuning_panel(found)
    status = 422 if values else 200
    return render_page(request, "testsets/testset.html", "testsets/_body.html", context | values, status)


def _complete_form(found: TestSet) -> CompleteForm | None:
    """Return the form that completes a test set, ticked for what it lacks; None where it has no questions."""
    if not found.questions.exists():
        return None
    missing = lacking(testset=found, wanted=Completion(out_of_scope=1))
    number = GeneratorSpec.create().out_of_scope
    start = {"evidence": "evidence" in missing, "twins": "twins" in missing, "out_of_scope": number}
    return CompleteForm(initial=start, prefix="complete")


def _list(request: HttpRequest, **forms: Any) -> HttpResponse:
    """Render the list; `forms` are those that came back with errors."""
    corpus = Corpus.objects.filter(pk=as_id(request.GET.get("corpus"))).first() or chosen_corpus()
    start = {"corpus": corpus, "name": _free_name(corpus)}
    context = {
        "page": Paginator(testset_rows(corpus=corpus), SETS_A_PAGE).get_page(request.GET.get("page")),
        "has_documents": Corpus.objects.filter(documents__isnull=False).exists(),
        "generate": GenerateForm(initial=preferred_generator().model_dump() | start),
        "importing": ImportForm(initial=start, prefix="import"),
    }
    status = 422 if forms else 200
    return render_page(request, "testsets/page.html", "testsets/_list.html", context | forms, status)


def _free_name(corpus: Corpus | None) -> str:
    """Return a name that the corpus has not used yet."""
    if corpus is None:
        return ""
    taken = set(corpus.testsets.values_list("name", flat=True))
    names = (corpus.name if number == 1 else f"{corpus.name} {number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _found(pk: int) -> TestSet:
    return get_object_or_404(TestSet.objects.select_related("corpus", "task"), pk=pk)


def _content(file: UploadedFile) -> tuple[str, bytes]:
    return file.name or "", file.read()


def _add_error(
    form: CompleteForm | ContextsForm | GenerateForm | ImportForm, error: PipelineError, fallback: str | None = None
) -> None:
    field = getattr(error, "field", None)
    by_row = re.split(r" (?=Row \d+:)", str(error))  # one line for each row of a file that does not fit
    form.add_error(field if field in form.fields else fallback, by_row)


urlpatterns = [
    path("testsets/", testsets, name="testsets"),
    path("testsets/generate/", generate, name="testset-generate"),
    path("testsets/import/", importing, name="testset-import"),
    path("testsets/<int:pk>/", testset, name="testset"),
    path("testsets/<int:pk>/contexts/", contexts, name="testset-contexts"),
    path("testsets/<int:pk>/<testset_file:writer>", download, name="testset-file"),
    path("testsets/<int:pk>/resume/", resume, name="testset-resume"),
    path("testsets/<int:pk>/complete/", complete, name="testset-complete"),
    path("testsets/<int:pk>/delete/", delete, name="testset-delete"),
]
