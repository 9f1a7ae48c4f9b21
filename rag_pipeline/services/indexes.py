"""Indexes: what must be embedded, building, opening, and a look at the chunks of one document."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from django.conf import settings
from django.utils import timezone

from rag_pipeline.embedders.base import Embedder, Vectors, embedder_named
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.errors import ConfigError
from rag_pipeline.indexing.chunk_table import ChunkTable
from rag_pipeline.indexing.chunk_vectors import ChunkVectors
from rag_pipeline.indexing.embedding_cache import CachedEmbedder
from rag_pipeline.indexing.index_store import ChunkIndex, load_index, save_index
from rag_pipeline.indexing.neighbours import build_neighbours, kind_for
from rag_pipeline.models import Corpus, Document, Index
from rag_pipeline.pipeline.chunking import chunk_documents, make_chunker, texts_to_embed_first
from rag_pipeline.queries.documents import CorpusSnapshot, corpus_snapshot
from rag_pipeline.retrievers.base import retrievers
from rag_pipeline.settings.pipeline_spec import PipelineSpec, digest
from rag_pipeline.types import Chunk, Progress, SourceDoc, Span

_TABLES = 16
"""Tables of chunks that stay in memory: a plan counts the chunks of every size before the first index is built."""
_KEPT = 2
"""Indexes that stay in memory: those used last, so that two runs taking turns find both."""


@dataclass(frozen=True, slots=True)
class IndexEstimate:
    """What an index needs: chunks in all, and distinct texts (late: windows of documents) that were never embedded.

    `chunks` is None where they are only known after the sentences are embedded: `to_embed` counts those then.
    """

    chunks: int | None
    to_embed: int


@dataclass(frozen=True, slots=True)
class ChunkPreview:
    """The chunks of one document. `token_counts[i]` belongs to `chunks[i]`; empty where tokens cannot be counted.

    Tokens are those that are embedded: of the text and of the headings above it. `window`: tokens that the embedding
    model reads at once, special tokens not counted. `share_over_window`: share of chunks that are longer, 0..1; None
    where unknown.
    """

    chunks: list[Chunk]
    token_counts: list[int]
    window: int | None
    share_over_window: float | None

    @property
    def spans(self) -> list[Span]:
        """Where the chunks lie."""
        return [chunk.span for chunk in self.chunks]


def open_embedder(embedding: str, mode: str = "mean") -> CachedEmbedder:
    """Return the embedder for a setting such as `local:all-MiniLM-L6-v2`, cached on disk. Raises ConfigError."""
    unit, name = embedder_named(embedding)
    state = unit.state(name)
    return cached(_embedder(embedding, mode, state))


def cached(embedder: Embedder) -> CachedEmbedder:
    """Return an embedder with the cache of the data folder in front."""
    return CachedEmbedder(embedder, Path(settings.DATA_DIR) / "embeddings")


@lru_cache(maxsize=8)
def _embedder(embedding: str, mode: str, state: str) -> Embedder:
    """One per process and state of the weights: they are loaded once."""
    unit, name = embedder_named(embedding)
    absent = unit.missing()
    if absent:
        raise ConfigError(absent, "embedding")
    return unit(name, mode)


def estimate(*, corpus: Corpus, spec: PipelineSpec, until: dt.datetime | None = None) -> IndexEstimate:
    """Count chunks and texts to embed, loading no model. `until`: see `corpus_snapshot`."""
    snapshot = corpus_snapshot(corpus=corpus, until=until)
    documents = snapshot.documents
    embedder = open_embedder(spec.core.embedding, spec.core.embed_mode)
    fingerprint = _fingerprint(snapshot, spec, embedder)
    row = Index.objects.filter(fingerprint=fingerprint).first()
    if row is not None and _folder(fingerprint).exists():
        return IndexEstimate(row.chunks, 0)
    first = embedder.unseen(texts_to_embed_first(documents, spec, embedder))
    if first:
        return IndexEstimate(None, len(first))
    table = _chunks(snapshot, spec, embedder)
    missing = ChunkVectors(documents, table, embedder).missing() if _needs_vectors(spec) else 0
    return IndexEstimate(len(table), missing)


def is_built(*, corpus: Corpus, spec: PipelineSpec, until: dt.datetime | None = None) -> bool:
    """Tell whether the index is there already. `until`: see `corpus_snapshot`."""
    embedder = open_embedder(spec.core.embedding, spec.core.embed_mode)
    return _is_there(_fingerprint(corpus_snapshot(corpus=corpus, until=until), spec, embedder))


def build_index(
    *, corpus: Corpus, spec: PipelineSpec, until: dt.datetime | None = None
) -> Generator[Progress, None, int]:
    """Build the index of a corpus unless it is there, yielding progress; returns how many chunks it has.

    Raises ConfigError, ProviderError.
    """
    snapshot = _snapshot(corpus, until)
    documents = snapshot.documents
    embedder = open_embedder(spec.core.embedding, spec.core.embed_mode)
    fingerprint = _fingerprint(snapshot, spec, embedder)
    there = _load(_folder(fingerprint), snapshot, embedder) if _recorded(fingerprint) else None
    if there is not None:
        Index.objects.filter(fingerprint=fingerprint).update(used=timezone.now())
        return len(there)
    yield from _embed("Embedding sentences", texts_to_embed_first(documents, spec, embedder), embedder)
    table = _chunks(snapshot, spec, embedder)
    rows: Vectors = np.zeros((len(table), 0), np.float32)
    if _needs_vectors(spec):
        rows = yield from embed_chunks("Embedding chunks", ChunkVectors(documents, table, embedder))
    build = None
    if (kind := kind_for(spec.core.index_kind, len(rows))) != "flat" and rows.size:
        yield Progress("Building the search index", 0, 1)
        questions = embedder.embed_queries(sampled_sentences(documents, table))
        build = partial(build_neighbours, rows, kind, questions)
    save_index(_folder(fingerprint), table, rows, {"embedder": embedder.fingerprint}, build)
    Index.objects.update_or_create(
        fingerprint=fingerprint,
        defaults={"corpus": corpus, "settings": spec.settings, "chunks": len(table), "used": timezone.now()},
    )
    return len(table)


def sampled_sentences(documents: Sequence[SourceDoc], table: ChunkTable, count: int = 200) -> list[str]:
    """Return the first sentences of some chunks, spread evenly: what an approximate search is tried with.

    Vectors of whole chunks would find themselves, which is easier than finding what answers a question.
    """
    texts = {doc.id: doc.text for doc in documents}
    rows = np.unique(np.linspace(0, len(table) - 1, min(count, len(table))).astype(int))
    chunks = (texts[document][start:end] for document, start, end in table.spans[rows].tolist())
    firsts = (next(iter(split_sentences(chunk)), None) for chunk in chunks)
    return [first.text for first in firsts if first is not None]


def _recorded(fingerprint: str) -> bool:
    return Index.objects.filter(fingerprint=fingerprint).exists()


def _embed(step: str, texts: list[str], embedder: CachedEmbedder) -> Iterator[Progress]:
    """Fill the cache with what is missing; nothing is reported where there is nothing to embed at all."""
    if not texts:
        return
    total = len(embedder.unseen(texts))
    yield Progress(step, 0, total)
    for done in embedder.embed_progressively(texts):
        yield Progress(step, done, total)


def embed_chunks(step: str, chunks: ChunkVectors) -> Generator[Progress, None, Vectors]:
    """Compute the vectors of chunks, yielding progress. Raises ConfigError, ProviderError."""
    total = chunks.missing()
    yield Progress(step, 0, total)
    if total:
        for done in chunks.compute():
            yield Progress(step, done, total)
    return chunks.vectors()


def open_index(*, corpus: Corpus, spec: PipelineSpec, until: dt.datetime | None = None) -> ChunkIndex:
    """Return the index of a corpus, built when needed. Raises ConfigError, ProviderError."""
    snapshot = _snapshot(corpus, until)
    embedder = open_embedder(spec.core.embedding, spec.core.embed_mode)
    folder = _folder(_fingerprint(snapshot, spec, embedder))
    index = _load(folder, snapshot, embedder)
    if index is None:
        for _ in build_index(corpus=corpus, spec=spec, until=until):
            pass
        index = _load(folder, snapshot, embedder)
    if index is None:
        raise ConfigError(f"The index could not be written to {folder.parent}. Check that the disk has room.")
    return index


def unembedded_sentences(*, document: Document, spec: PipelineSpec) -> tuple[int, int]:
    """Return (left, in all) of the distinct texts to embed before the chunks are known; (0, 0) for most chunkers.

    Raises ConfigError.
    """
    embedder = open_embedder(spec.core.embedding, spec.core.embed_mode)
    texts = list(set(texts_to_embed_first([document.as_source()], spec, embedder)))
    return (len(embedder.unseen(texts)), len(texts)) if texts else (0, 0)


def embed_sentences(*, document: Document, spec: PipelineSpec) -> Iterator[int]:
    """Embed them block by block, yielding how many are done; stop whenever you like, what is done is kept.

    Raises ConfigError, ProviderError.
    """
    embedder = open_embedder(spec.core.embedding, spec.core.embed_mode)
    yield from embedder.embed_progressively(texts_to_embed_first([document.as_source()], spec, embedder))


def preview_chunks(*, document: Document, spec: PipelineSpec) -> ChunkPreview:
    """Cut one document as `spec` would; nothing but `unembedded_sentences` is embedded. Raises ConfigError."""
    embedder = open_embedder(spec.core.embedding, spec.core.embed_mode)
    doc = document.as_source()
    chunks = make_chunker(spec, embedder).chunks(doc)
    try:
        starts = embedder.token_offsets(doc.text)[:, 0]
        titles = {heading: embedder.token_count(heading) for heading in {chunk.heading for chunk in chunks}}
        window = embedder.max_tokens - 2 if embedder.max_tokens else None
    except ConfigError:  # the provider's tokenizer is not known here: sizes in characters only
        return ChunkPreview(chunks, [], None, None)
    edges = np.searchsorted(starts, [(chunk.span.start, chunk.span.end) for chunk in chunks]).reshape(-1, 2)
    counts = [int(last - first) + titles[chunk.heading] for (first, last), chunk in zip(edges, chunks, strict=True)]
    over = sum(count > window for count in counts) / len(counts) if window and counts else None
    return ChunkPreview(chunks, counts, window, over)


def delete_indexes(*, corpus: Corpus) -> None:
    """Delete the index files of a corpus; they are a cache and are built again when needed."""
    for row in corpus.indexes.all():
        shutil.rmtree(_folder(row.fingerprint), ignore_errors=True)
        row.delete()


def _fingerprint(snapshot: CorpusSnapshot, spec: PipelineSpec, embedder: CachedEmbedder) -> str:
    """Return which index serves these settings: where no vectors are needed, one that has them does as well."""
    fuller = digest(_parts_of_index(snapshot, spec, embedder))
    return fuller if _needs_vectors(spec) or _is_there(fuller) else index_fingerprint(snapshot, spec, embedder)


def _is_there(fingerprint: str) -> bool:
    return _recorded(fingerprint) and _folder(fingerprint).exists()


def index_fingerprint(snapshot: CorpusSnapshot, spec: PipelineSpec, embedder: CachedEmbedder) -> str:
    """Return the hash of all that an index depends on: documents, chunker, embedder, and whether it has vectors."""
    parts = _parts_of_index(snapshot, spec, embedder)
    return digest(parts if _needs_vectors(spec) else parts | {"vectors": False})


def _parts_of_index(snapshot: CorpusSnapshot, spec: PipelineSpec, embedder: CachedEmbedder) -> dict[str, object]:
    return {"documents": snapshot.digests, "spec": spec.index_fingerprint, "embedder": embedder.fingerprint}


def _chunks(snapshot: CorpusSnapshot, spec: PipelineSpec, embedder: CachedEmbedder) -> ChunkTable:
    """Return the chunks of some documents; those asked for last are not cut again."""
    key = digest(_parts_of_index(snapshot, spec, embedder))
    table = _tables.pop(key, None)
    if table is None:
        table = chunk_documents(snapshot.documents, spec, embedder)
    _tables[key] = table  # the last used is the last in order
    while len(_tables) > _TABLES:
        _tables.pop(next(iter(_tables)), None)
    return table


_tables: dict[str, ChunkTable] = {}


def _needs_vectors(spec: PipelineSpec) -> bool:
    return retrievers.get(spec.core.retriever, "retriever").needs_vectors


def _snapshot(corpus: Corpus, until: dt.datetime | None) -> CorpusSnapshot:
    snapshot = corpus_snapshot(corpus=corpus, until=until)
    if not snapshot.documents:
        raise ConfigError(f"The corpus “{corpus.name}” has no documents. Upload some first.", "corpus")
    return snapshot


def _load(folder: Path, snapshot: CorpusSnapshot, embedder: CachedEmbedder) -> ChunkIndex | None:
    """Read an index back, once for as long as its files stay as they are; None where it is absent or damaged."""
    try:
        files = [(path.name, path.stat()) for path in sorted(folder.iterdir())]
    except OSError:
        return None
    state = tuple((name, info.st_ino, info.st_mtime_ns, info.st_size) for name, info in files)
    return _loaded(folder, state, snapshot, embedder.inner)


@lru_cache(maxsize=_KEPT)
def _loaded(
    folder: Path, state: tuple[tuple[str, int, int, int], ...], snapshot: CorpusSnapshot, embedder: Embedder
) -> ChunkIndex | None:
    """`state`: the files, so that others are read anew. `embedder`: that of the data folder stands behind a cache."""
    return load_index(folder, snapshot.documents, cached(embedder))


def _folder(fingerprint: str) -> Path:
    return Path(settings.DATA_DIR) / "indexes" / fingerprint
