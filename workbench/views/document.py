"""One document: its text cut into chunks under settings that can be tried here."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from rag_pipeline.errors import InUseError, PipelineError
from rag_pipeline.models import Document
from rag_pipeline.services import corpora
from rag_pipeline.services.indexes import ChunkPreview
from workbench.chunk_view import CHUNKS_A_PAGE, chunk_rows, page_holding, size_spread
from workbench.forms.documents import ChunkForm
from workbench.htmx import render_page
from workbench.ids import as_id
from workbench.services.library import cut_document
from workbench.services.present import present_settings

PAGE = "documents/document.html"


@require_safe
def document(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a document's chunks; `?start=&end=` marks a passage and opens the page of chunks that holds it."""
    return _page(request, _found(pk))


@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a document that nothing needs."""
    found = _found(pk)
    try:
        corpora.delete_document(document=found)
    except InUseError as error:
        return _page(request, found, delete_error=str(error))
    messages.success(request, f"“{found.name}” was deleted.")
    return HttpResponseRedirect(f"{reverse('documents')}?corpus={found.corpus_id}")


def _found(pk: int) -> Document:
    return get_object_or_404(Document.objects.select_related("corpus"), pk=pk)


def _page(request: HttpRequest, found: Document, delete_error: str = "") -> HttpResponse:
    present = present_settings(corpus=found.corpus)
    form = ChunkForm(request.GET, present=present.spec)
    context = {"document": found, "present": present, "form": form, "delete_error": delete_error}
    if form.is_valid():
        try:
            context |= _chunks(request, found, cut_document(document=found, spec=form.spec))
        except PipelineError as error:
            form.add_error(None, str(error))
    status = 422 if delete_error or form.errors else 200
    return render_page(request, PAGE, "documents/_chunks.html", context, status)


def _chunks(request: HttpRequest, found: Document, preview: ChunkPreview) -> dict[str, Any]:
    mark = _marked(request, found.length)
    pages = Paginator(preview.spans, CHUNKS_A_PAGE)
    asked = request.GET.get("page") or (page_holding(preview.spans, mark[0]) if mark else 1)
    page = pages.get_page(asked)
    sizes = preview.token_counts or [len(span) for span in preview.spans]
    return {
        "preview": preview,
        "page": page,
        "passage": mark,
        "spread": size_spread(sizes, preview.window),
        "rows": chunk_rows(
            found.as_source(),
            preview.spans,
            preview.token_counts,
            first=(page.number - 1) * CHUNKS_A_PAGE,
            window=preview.window,
            mark=mark,
        ),
    }


def _marked(request: HttpRequest, length: int) -> tuple[int, int] | None:
    start, end = as_id(request.GET.get("start")), as_id(request.GET.get("end"))
    return (start, end) if start < end <= length else None


urlpatterns = [
    path("documents/<int:pk>/", document, name="document"),
    path("documents/<int:pk>/delete/", delete, name="document-delete"),
]
