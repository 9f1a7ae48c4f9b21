"""Stored documents as the engine sees them, read once for as long as they stay the same."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rag_pipeline.indexing.vocabulary import word_counts
from rag_pipeline.models import Corpus, Document
from rag_pipeline.settings.pipeline_spec import digest
from rag_pipeline.types import SourceDoc

_KEPT = 2
"""Corpora whose documents stay in memory: those read last, so that two runs taking turns find both."""

_Row = tuple[int, str, str, dt.datetime]


@dataclass(frozen=True, eq=False)
class CorpusSnapshot:
    """The documents of a corpus as they are at one time, in order of id, and what is made of all of them, once."""

    documents: tuple[SourceDoc, ...]

    @cached_property
    def texts(self) -> dict[int, str]:
        """Their texts by id."""
        return {doc.id: doc.text for doc in self.documents}

    @cached_property
    def digests(self) -> list[list[object]]:
        """Id and hash of each: what an index of them depends on."""
        return [[doc.id, digest(doc.text)] for doc in self.documents]

    @cached_property
    def words(self) -> Counter[str]:
        """How often each of their words occurs."""
        return word_counts(self.documents)


def corpus_snapshot(*, corpus: Corpus, until: dt.datetime | None = None) -> CorpusSnapshot:
    """Return the documents of a corpus. `until` leaves out what was imported later: long work sees what it began with.

    Which documents there are is asked each time; their texts, which never change, are read again only where those are
    not the documents of one of the last snapshots of this process.
    """
    documents = corpus.documents.order_by("id")
    if until is not None:
        documents = documents.filter(created__lte=until)
    return _read(tuple(documents.values_list("pk", "name", "content_hash", "created")))


@lru_cache(maxsize=_KEPT)
def _read(rows: tuple[_Row, ...]) -> CorpusSnapshot:
    found = Document.objects.in_bulk([pk for pk, *_ in rows])
    # One that was deleted since it was listed is left out, as if it had been asked for a moment later.
    return CorpusSnapshot(tuple(found[pk].as_source() for pk, *_ in rows if pk in found))


def document_texts(ids: Iterable[int]) -> dict[int, str]:
    """Return the texts of some documents by id, in one query; those that are gone are left out."""
    return dict(Document.objects.filter(pk__in=set(ids)).values_list("pk", "text"))
