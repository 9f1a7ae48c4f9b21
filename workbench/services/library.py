"""What the page Documents shows: corpora with their documents, and a search in one of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache

from django.db.models import Count, QuerySet

from evaluation.models import Run
from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.models import Corpus, Document
from rag_pipeline.retrievers.base import retrievers
from rag_pipeline.services.indexes import (
    ChunkPreview,
    embed_sentences,
    estimate,
    preview_chunks,
    unembedded_sentences,
)
from rag_pipeline.services.pipelines import search
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Context, other_than

ASK_BEFORE_EMBEDDING = 500
"""So many chunks are embedded without asking first: some seconds on two cores."""

LISTED_DOCUMENTS = 200
"""In a larger corpus a search is narrowed from the document's own page, not from a list."""

_EMBEDDING_S = 4.0
"""Seconds of embedding before the page shows how far it is."""


@dataclass(frozen=True)
class SearchResult:
    """Ranked chunks; `to_embed` above zero means that nothing was searched yet.

    `of_sentences`: what is to be embedded first are sentences, the chunks are not known before. `found_by`: the
    retriever, with the embedding where it uses one. `queries`: what was searched for, where that is not the query.
    """

    contexts: tuple[Context, ...] = ()
    seconds: float = 0.0
    to_embed: int = 0
    of_sentences: bool = False
    found_by: str = ""
    queries: tuple[str, ...] = ()


def document_rows(*, corpus: Corpus) -> QuerySet[Document]:
    """Return the documents of a corpus without their texts, newest first, with `evidence_count`."""
    rows = corpus.documents.defer("text").annotate(evidence_count=Count("evidence"))
    return rows.order_by("-created", "-id")


def document_choices(*, corpus: Corpus) -> list[tuple[int, str]]:
    """Return (id, name) of the documents that a search can be narrowed to; none where there are too many to list."""
    choices = list(corpus.documents.order_by("name").values_list("pk", "name")[: LISTED_DOCUMENTS + 1])
    return choices if 1 < len(choices) <= LISTED_DOCUMENTS else []


def search_corpus(
    *, corpus: Corpus, query: str, spec: PipelineSpec, document: Document | None = None, embed_all: bool = False
) -> SearchResult:
    """Return the chunks (of `document` alone) that `spec` finds for a query. Raises ConfigError, ProviderError.

    Many chunks that were never embedded are only embedded when `embed_all` says so.
    """
    searching = spec if spec.core.use_context else spec.changed(use_context=True)
    if not searching.needs_chunks:  # the oracle finds evidence, not what is searched for
        searching = searching.changed(retriever="dense")
    if not embed_all:
        needed = estimate(corpus=corpus, spec=searching)
        if needed.to_embed > ASK_BEFORE_EMBEDDING:
            return SearchResult(to_embed=needed.to_embed, of_sentences=needed.chunks is None)
    started = time.perf_counter()
    only = {document.pk} if document is not None else None
    found = search(corpus=corpus, spec=searching, query=query, only=only)
    label = retrievers.get(searching.core.retriever).label
    found_by = f"{label} ({searching.core.embedding})" if searching.needs_vectors else label
    seconds = time.perf_counter() - started
    return SearchResult(found.contexts, seconds, found_by=found_by, queries=other_than(query, found.queries))


@dataclass(frozen=True)
class Waiting:
    """`left` of `total` texts must be embedded before the chunks of a document are known."""

    left: int
    total: int

    @property
    def done(self) -> int:
        """How many are embedded."""
        return self.total - self.left


def cut_document(*, document: Document, spec: PipelineSpec) -> ChunkPreview | Waiting:
    """Return the chunks of a document under `spec`; the last few are kept, as their pages are looked at one by one.

    Raises ConfigError.
    """
    if chunkers.get(spec.core.chunker, "chunker").needs_embeddings:
        waiting = _waiting(document.pk, document.content_hash, spec)
        if waiting is not None:
            return waiting
    return _cut(document.pk, document.content_hash, spec)


def embed_for_cutting(*, document: Document, spec: PipelineSpec) -> bool:
    """Embed sentences of a document for a few seconds; True when none is left. Raises ConfigError, ProviderError."""
    until = time.perf_counter() + _EMBEDDING_S
    for _ in embed_sentences(document=document, spec=spec):
        if time.perf_counter() > until:
            break
    return unembedded_sentences(document=document, spec=spec)[0] == 0


def _waiting(pk: int, content_hash: str, spec: PipelineSpec) -> Waiting | None:
    key = (pk, content_hash, spec.index_fingerprint)
    if key in _complete:
        return None
    left, total = unembedded_sentences(document=Document.objects.get(pk=pk), spec=spec)
    if left:
        return Waiting(left, total)
    _complete[key] = None
    if len(_complete) > _KNOWN_COMPLETE:
        _complete.pop(next(iter(_complete)))
    return None


_KNOWN_COMPLETE = 64
_complete: dict[tuple[int, str, str], None] = {}
"""Documents and settings whose sentences are all embedded."""


@lru_cache(maxsize=8)
def _cut(pk: int, content_hash: str, spec: PipelineSpec) -> ChunkPreview:
    return preview_chunks(document=Document.objects.get(pk=pk), spec=spec)


def users_of(*, corpus: Corpus) -> str:
    """Return what needs a corpus, in words, or an empty string."""
    testsets = corpus.testsets.count()
    runs = Run.objects.filter(corpus=corpus).count()
    parts = [_counted(testsets, "test set"), _counted(runs, "run")]
    return " and ".join(part for part in parts if part)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}" if count else ""
