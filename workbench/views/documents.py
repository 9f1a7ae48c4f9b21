"""Documents: corpora, upload, search, and each document cut into chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST, require_safe

from rag_pipeline.errors import ConfigError, InUseError, PipelineError
from rag_pipeline.models import Corpus, Document
from rag_pipeline.services import corpora
from workbench.display.upload_report import UploadReport, upload_messages
from workbench.forms.documents import CorpusForm, SearchForm, UploadForm
from workbench.htmx import render_page
from workbench.ids import as_id
from workbench.services.current_settings import choose_corpus, chosen_corpus, current_settings
from workbench.services.library import document_choices, document_rows, search_corpus, users_of
from workbench.services.sample import CORPUS as SAMPLE

PAGE = "documents/page.html"
DOCUMENTS_A_PAGE = 50
OWN = "My documents"
"""The corpus that is offered to a user who has none."""


@require_safe
def documents(request: HttpRequest) -> HttpResponse:
    """Show a corpus: upload, search, its documents."""
    corpus = _chosen(request)
    return render_page(request, PAGE, "documents/_list.html", _context(request, corpus))


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Show what is found for a query under the current settings; `document` (an id) looks in that one alone."""
    corpus = get_object_or_404(Corpus, pk=as_id(request.GET.get("corpus")))
    only = request.GET.get("document")
    document = get_object_or_404(corpus.documents.defer("text"), pk=as_id(only)) if only else None
    form = SearchForm(request.GET)
    values = {"search": form, "query": request.GET.get("q", ""), "searched": True, "within": document}
    if form.is_valid():
        current = current_settings(corpus=corpus)
        try:
            values["result"] = search_corpus(
                corpus=corpus,
                query=form.cleaned_data["q"],
                spec=current.spec,
                document=document,
                embed_all=request.GET.get("embed") == "1",
            )
        except PipelineError as error:
            form.add_error("q", str(error))
    context = _context(request, corpus) | values
    return render_page(request, PAGE, "documents/_results.html", context, 422 if form.errors else 200)


@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    """Import files; what could not be read is listed with its reason."""
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, upload=form)
    there = set(Corpus.objects.values_list("pk", flat=True))
    try:
        corpus = corpora.get_or_create_corpus(name=form.cleaned_data["corpus"])
    except ConfigError as error:
        form.add_error("corpus", str(error))
        return _page(request, upload=form)
    report = UploadReport(corpora.import_documents(corpus=corpus, files=_contents(form.cleaned_data["documents"])))
    for level, text in upload_messages(report):
        messages.add_message(request, level, text)
    if corpus.pk not in there and not corpus.documents.exists():  # a new name that took nothing is not kept
        corpora.delete_corpus(corpus=corpus)
        return _page(request, upload=form, report=report)
    if report.failed:
        return _page(request, corpus=corpus, report=report)
    return HttpResponseRedirect(_address(corpus) + report.added_query)


@require_POST
def create_corpus(request: HttpRequest) -> HttpResponse:
    """Make an empty corpus, or open the one of that name."""
    form = CorpusForm(request.POST)
    if form.is_valid():
        try:
            return HttpResponseRedirect(_address(corpora.get_or_create_corpus(name=form.cleaned_data["name"])))
        except ConfigError as error:
            form.add_error("name", str(error))
    return _page(request, corpus_form=form)


@require_POST
def delete_corpus(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a corpus that nothing needs."""
    corpus = get_object_or_404(Corpus, pk=pk)
    try:
        corpora.delete_corpus(corpus=corpus)
    except InUseError as error:
        return _page(request, corpus=corpus, delete_error=str(error))
    messages.success(request, f"The corpus “{corpus.name}” was deleted with its documents.")
    return HttpResponseRedirect(reverse("documents"))


@require_safe
def original(request: HttpRequest, pk: int) -> HttpResponse:
    """Download the file as it was uploaded."""
    document = get_object_or_404(Document.objects.defer("text"), pk=pk)
    with document.original.open("rb") as file:  # whole: a server of async pages cannot stream from a plain file
        response = HttpResponse(file.read(), content_type="application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(True, document.name) or "attachment"
    return response


@require_safe
def extracted(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the extracted text alone: offsets of evidence count in it."""
    document = get_object_or_404(Document, pk=pk)
    return HttpResponse(document.text, content_type="text/plain; charset=utf-8")


def _contents(files: list[UploadedFile]) -> Iterator[tuple[str, bytes]]:
    """Yield files one by one, so that one at a time is in memory; a byte over the limit shows that one is too large."""
    for file in files:
        yield file.name or "", file.read(settings.MAX_UPLOAD_MB * 1024 * 1024 + 1)


def _page(request: HttpRequest, *, corpus: Corpus | None = None, **values: Any) -> HttpResponse:
    """Show the page again with what went wrong."""
    context = _context(request, corpus or _chosen(request)) | values
    return render_page(request, PAGE, "documents/_list.html", context, 422)


def _context(request: HttpRequest, corpus: Corpus | None) -> dict[str, Any]:
    context: dict[str, Any] = {
        "corpus": corpus,
        "upload": UploadForm(initial={"corpus": _offered(corpus)}),
        "corpus_form": CorpusForm(),
        "search": SearchForm(),
        "added": {as_id(each) for each in request.GET.get("added", "").split(",")},
    }
    if corpus is not None:
        rows = Paginator(document_rows(corpus=corpus), DOCUMENTS_A_PAGE)
        context |= {"page": rows.get_page(request.GET.get("page")), "used_by": users_of(corpus=corpus)}
        context |= {"current": current_settings(corpus=corpus), "choices": document_choices(corpus=corpus)}
    return context


def _chosen(request: HttpRequest) -> Corpus | None:
    """Return the corpus of the address, which all pages start with from then on, or of a form; else the chosen one."""
    asked = Corpus.objects.filter(pk=as_id(request.POST.get("corpus_id") or request.GET.get("corpus"))).first()
    if asked and request.method == "GET":
        choose_corpus(asked)
    return asked or chosen_corpus()


def _offered(corpus: Corpus | None) -> str:
    """Return the corpus that takes new files unless told otherwise: never the sample, whose questions know one text."""
    return corpus.name if corpus and corpus.name != SAMPLE else OWN


def _address(corpus: Corpus) -> str:
    return f"{reverse('documents')}?corpus={corpus.pk}"


urlpatterns = [
    path("documents/", documents, name="documents"),
    path("documents/search/", search, name="documents-search"),
    path("documents/upload/", upload, name="documents-upload"),
    path("documents/corpora/", create_corpus, name="corpus-create"),
    path("documents/corpora/<int:pk>/delete/", delete_corpus, name="corpus-delete"),
    path("documents/<int:pk>/original/", original, name="document-original"),
    path("documents/<int:pk>/text/", extracted, name="document-text"),
]
