"""One document: its text cut into chunks under settings that can be tried here."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseLocation

from rag_pipeline.errors import InUseError, PipelineError
from rag_pipeline.models import Document
from rag_pipeline.services import corpora
from rag_pipeline.services.indexes import ChunkPreview
from workbench.charts.chunk_sizes import size_histogram
from workbench.charts.figures import Figure
from workbench.display.chunk_view import CHUNKS_A_PAGE, SizeSpread, chunk_rows, page_holding, parent_marks, size_spread
from workbench.forms.documents import ChunkForm
from workbench.htmx import render_page, wants_part
from workbench.ids import as_id
from workbench.services.current_settings import current_settings
from workbench.services.known_models import known_embeddings
from workbench.services.library import Waiting, cut_document, embed_for_cutting

PAGE = "documents/document.html"


@require_safe
def document(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a document's chunks; `?start=&end=` marks a passage and opens the page of chunks that holds it."""
    return _page(request, _found(pk))


@require_POST
def embed(request: HttpRequest, pk: int) -> HttpResponse:
    """Embed some sentences, for a chunker that needs them; htmx comes again until all are done."""
    found = _found(pk)
    current = current_settings(corpus=found.corpus)
    form = ChunkForm(request.POST, current=current.spec)
    complete = False
    if form.is_valid():
        try:
            complete = embed_for_cutting(document=found, spec=form.spec)
        except PipelineError as error:
            form.add_error(None, str(error))
    if form.errors or (wants_part(request) and not complete):
        return _page(request, found, form=form, going=True)
    address = f"{reverse('document', args=[pk])}?{urlencode(form.query)}"
    if wants_part(request):
        return HttpResponseLocation(address, target="#cut-result", swap="outerHTML")
    return HttpResponseRedirect(address)


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


def _page(
    request: HttpRequest, found: Document, *, form: ChunkForm | None = None, going: bool = False, delete_error: str = ""
) -> HttpResponse:
    current = current_settings(corpus=found.corpus)
    form = form or ChunkForm(request.GET, current=current.spec)
    context = {"document": found, "current": current, "form": form, "delete_error": delete_error}
    context |= {"embeddings": known_embeddings(), "new_fields": request.headers.get("HX-Trigger") == "choose-chunker"}
    if form.is_valid():
        try:
            cut = cut_document(document=found, spec=form.spec)
            context |= {"waiting": cut, "going": going} if isinstance(cut, Waiting) else _chunks(request, found, cut)
        except PipelineError as error:
            form.add_error(None, str(error))
    status = 422 if delete_error or form.errors else 200
    response = render_page(request, PAGE, "documents/_cut.html", context, status)
    if wants_part(request) and request.method == "GET":
        kept = {name: request.GET[name] for name in ("start", "end") if name in request.GET}
        response["HX-Replace-Url"] = f"{request.path}?{urlencode(form.query | kept)}"
    return response


def _chunks(request: HttpRequest, found: Document, preview: ChunkPreview) -> dict[str, Any]:
    mark = _marked(request, found.length)
    pages = Paginator(preview.chunks, CHUNKS_A_PAGE)
    asked = request.GET.get("page") or (page_holding(preview.spans, mark[0]) if mark else 1)
    page = pages.get_page(asked)
    characters = size_spread([len(span) for span in preview.spans])
    tokens = size_spread(preview.token_counts, preview.window)
    return {
        "preview": preview,
        "page": page,
        "passage": mark,
        "characters": characters,
        "tokens": tokens,
        "spread_bars": (tokens or characters).bars if characters else (),
        "figure": _figure(characters, tokens, preview.window),
        "parents": len(parent_marks(preview.chunks)),
        "overlaps": any(after.start < before.end for before, after in pairwise(preview.spans)),
        "rows": chunk_rows(
            found.as_source(),
            preview.chunks,
            preview.token_counts,
            first=(page.number - 1) * CHUNKS_A_PAGE,
            window=preview.window,
            mark=mark,
        ),
    }


def _figure(characters: SizeSpread | None, tokens: SizeSpread | None, window: int | None) -> Figure | None:
    """Draw the sizes in tokens where they are known, with the embedding window; else in characters."""
    if tokens is not None:
        return size_histogram(tokens, "tokens", window)
    return size_histogram(characters, "characters") if characters is not None else None


def _marked(request: HttpRequest, length: int) -> tuple[int, int] | None:
    start, end = as_id(request.GET.get("start")), as_id(request.GET.get("end"))
    return (start, end) if start < end <= length else None


urlpatterns = [
    path("documents/<int:pk>/", document, name="document"),
    path("documents/<int:pk>/embed/", embed, name="document-embed"),
    path("documents/<int:pk>/delete/", delete, name="document-delete"),
]
