"""Stored documents as the engine sees them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from rag_pipeline.models import Corpus, Document
from rag_pipeline.types import SourceDoc


def source_docs(*, corpus: Corpus, until: dt.datetime | None = None) -> list[SourceDoc]:
    """Return the documents of a corpus as the engine sees them, in order of id.

    `until` leaves out what was imported later: long work sees the corpus as it was when it was asked for.
    """
    documents = corpus.documents.order_by("id")
    if until is not None:
        documents = documents.filter(created__lte=until)
    return [document.as_source() for document in documents]


def document_texts(ids: Iterable[int]) -> dict[int, str]:
    """Return the texts of some documents by id, in one query; those that are gone are left out."""
    return dict(Document.objects.filter(pk__in=set(ids)).values_list("pk", "text"))
