"""Opening a pipeline over a stored corpus."""

from __future__ import annotations

import datetime as dt
from collections import ChainMap
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from asgiref.sync import async_to_sync
from django.conf import settings

from rag_pipeline.embedders.base import check_embedding
from rag_pipeline.errors import ConfigError
from rag_pipeline.extractive_qa.kept_answers import KeptAnswers
from rag_pipeline.generators.base import Generator, generator_for
from rag_pipeline.generators.builtin import BuiltinReader
from rag_pipeline.indexing.chunk_table import ChunkTable
from rag_pipeline.indexing.index_store import ChunkIndex
from rag_pipeline.llm.target import LOCAL
from rag_pipeline.local_models.chat_weights import chat_weights
from rag_pipeline.models import Corpus
from rag_pipeline.pipeline.pipeline import Pipeline
from rag_pipeline.pipeline.retrieval import Retrieval, contexts_of
from rag_pipeline.queries.documents import CorpusSnapshot, corpus_snapshot
from rag_pipeline.retrievers.base import Retriever, retrievers
from rag_pipeline.runtime import readings_folder
from rag_pipeline.services import indexes
from rag_pipeline.services.indexes import build_index, open_embedder, open_index
from rag_pipeline.settings.parts import PARTS
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Context, Progress, SourceDoc, Step

READER_EMBEDDING = "local:all-MiniLM-L6-v2"
"""What the builtin reader compares sentences with, whatever embedding retrieves."""


def check_parts(spec: PipelineSpec) -> None:
    """Refuse what cannot be used here, before any work: a missing package, a model that is not there.

    Raises ConfigError with the mend.
    """
    if "embedding" in spec.settings:
        check_embedding(spec.core.embedding)
    for part in PARTS:
        if part.field not in spec.options:
            continue
        value = getattr(spec.core, part.field)
        unit = part.unit(value)
        if unit is None:
            continue
        if absent := unit.missing():
            raise ConfigError(absent, part.field)
        unit.check_options(spec.options[part.field])
        if part.named:
            unit.check(value.partition(":")[2])  # type: ignore[attr-defined]


def _load_models(spec: PipelineSpec) -> None:
    """Load the models that run here, before an index is built: a name of the hub may be wrong. Raises ConfigError."""
    provider, _, name = spec.core.llm.partition(":")
    if provider == LOCAL:
        chat_weights(name)
    for part in PARTS:
        value = getattr(spec.core, part.field)
        unit = part.unit(value) if part.named and part.field in spec.options else None
        if unit is not None:
            unit.load(value.partition(":")[2])  # type: ignore[attr-defined]


def open_generator(spec: PipelineSpec) -> Generator:
    """Return the model of `spec`. Raises ConfigError, ProviderError when it cannot be used at all."""
    generator = generator_for(spec.core.llm, spec.core.temperature, spec.core.max_tokens)
    if isinstance(generator, BuiltinReader):
        embedder, folder = open_embedder(READER_EMBEDDING), readings_folder()
        generator.embed, generator.strictness = embedder.embed_passages, spec.core.strictness
        if folder:
            generator.kept = KeptAnswers(folder, f"{embedder.fingerprint} {spec.core.strictness}")
    return generator


def prepare_pipeline(*, corpus: Corpus, spec: PipelineSpec) -> Iterator[Progress]:
    """Refuse what cannot answer a single question, then build the index where it is missing, telling how far it is.

    Raises ConfigError, ProviderError.
    """
    check_parts(spec)
    _refuse_oracle(spec)
    _load_models(spec)
    if spec.needs_chunks:
        yield from build_index(corpus=corpus, spec=spec)


def open_pipeline(
    *,
    corpus: Corpus,
    spec: PipelineSpec,
    until: dt.datetime | None = None,
    only: AbstractSet[int] | None = None,
    with_evidence: bool = False,
    retrieves: bool = True,
) -> Pipeline:
    """Return a pipeline ready to answer, building its index when needed. Raises ConfigError, ProviderError.

    `until`: see `corpus_snapshot`. `only`: retrieve from these documents (by id) alone. `with_evidence`: the questions
    carry their gold evidence. `retrieves`: False where the questions carry their contexts: no index is opened.
    """
    if retrieves:
        check_parts(spec)
    generator = open_generator(spec)
    snapshot = corpus_snapshot(corpus=corpus, until=until)
    if not with_evidence:
        _refuse_oracle(spec)
    if not spec.core.use_context or not retrieves:
        return Pipeline(spec, snapshot.documents, None, generator)
    index = _index(corpus, spec, snapshot, until)
    if only is not None:
        index = index.restricted(only)
    return Pipeline(spec, snapshot.documents, _retrieval(spec, snapshot, index, generator), generator)


def open_retrieval(*, corpus: Corpus, spec: PipelineSpec, until: dt.datetime | None = None) -> Retrieval:
    """Return all steps of retrieval, no model for the answer; questions carry their gold evidence.

    `until`: see `corpus_snapshot`. Raises ConfigError, ProviderError.
    """
    check_parts(spec)
    snapshot = corpus_snapshot(corpus=corpus, until=until)
    return _retrieval(spec, snapshot, _index(corpus, spec, snapshot, until), open_generator(spec))


def open_ranking(*, corpus: Corpus, spec: PipelineSpec, until: dt.datetime | None = None) -> Retrieval:
    """Return the retriever of `spec` alone, to see how far down something lies: no other step, no model.

    The index is built from cached vectors at most. `until`: see `corpus_snapshot`. Raises ConfigError, ProviderError.
    """
    unit = retrievers.get(spec.core.retriever, "retriever")
    if not unit.repeatable:
        raise ConfigError(f"{unit.label} is not asked how far down it would have found it")
    if spec.needs_chunks and indexes.estimate(corpus=corpus, spec=spec, until=until).to_embed:
        raise ConfigError("the index is no longer there, and its chunks would have to be embedded again")
    snapshot = corpus_snapshot(corpus=corpus, until=until)
    index = _index(corpus, spec, snapshot, until)
    retriever: Retriever = unit(index, spec.options["retriever"])
    by_id = {doc.id: doc for doc in snapshot.documents}
    return Retrieval(documents=by_id, retriever=retriever, top_k=spec.core.top_k, parent_of=index.parent_of)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: contexts best first, the texts that were searched for, and what each step left.

    `notes` are remarks for the user. `documents`: those of the corpus, by id.
    """

    contexts: tuple[Context, ...]
    queries: tuple[str, ...]
    steps: tuple[Step, ...]
    notes: tuple[str, ...]
    documents: Mapping[int, SourceDoc]


def search(*, corpus: Corpus, spec: PipelineSpec, query: str, only: AbstractSet[int] | None = None) -> Found:
    """Retrieve for one query as `spec` says, without an answer. Raises ConfigError, ProviderError."""
    if not query.strip():
        raise ConfigError("Write what to search for.", "query")
    if not spec.core.use_context:
        raise ConfigError("These settings use no context: there is nothing to search. Switch Use context on.")
    pipeline = open_pipeline(corpus=corpus, spec=spec, only=only)
    found = async_to_sync(pipeline.retrieve_many)([query])[0]
    if found.error is not None:
        raise found.error
    contexts = contexts_of(found.hits, pipeline.documents)
    return Found(contexts, found.queries, found.steps, found.notes, pipeline.documents)


def _refuse_oracle(spec: PipelineSpec) -> None:
    unit = retrievers.get(spec.core.retriever, "retriever")
    if spec.core.use_context and unit.needs_evidence:
        raise ConfigError(
            f"The {unit.label.lower()} needs the gold evidence of a test set, so it works in an evaluation only. "
            "Choose another retriever.",
            "retriever",
        )


def _index(corpus: Corpus, spec: PipelineSpec, snapshot: CorpusSnapshot, until: dt.datetime | None) -> ChunkIndex:
    if spec.needs_chunks:
        return open_index(corpus=corpus, spec=spec, until=until)
    return ChunkIndex.of(snapshot.documents, ChunkTable.of([]), np.zeros((0, 0), np.float32), _embedder(spec))


def _embedder(spec: PipelineSpec) -> Any:
    return open_embedder(spec.core.embedding, spec.core.embed_mode)


def _retrieval(spec: PipelineSpec, snapshot: CorpusSnapshot, index: ChunkIndex, generator: Generator) -> Retrieval:
    """Put together the steps that `spec` asks for."""
    core, options = spec.core, spec.options
    complete = generator.complete if generator.completes else None
    units: dict[str, Any] = {part.field: part.unit(getattr(core, part.field)) for part in PARTS}
    chosen = {name: unit for name, unit in units.items() if unit is not None and name in options}
    retriever: Retriever = units["retriever"](index, options["retriever"])
    transform = reranker = consolidator = None
    if unit := chosen.get("query_transform"):
        transform = unit(options["query_transform"], complete, lambda: snapshot.words)
    if unit := chosen.get("reranker"):
        reranker = unit(core.reranker.partition(":")[2], options["reranker"], complete)
        reranker.folder = Path(settings.DATA_DIR) / "reranked"
    if unit := chosen.get("consolidate"):
        consolidator = unit(options["consolidate"], open_embedder(READER_EMBEDDING).embed_passages)
    return Retrieval(
        documents=ChainMap({doc.id: doc for doc in snapshot.documents}, retriever.passages),
        retriever=retriever,
        top_k=core.top_k,
        transform=transform,
        reranker=reranker,
        candidates=options["reranker"].rerank_candidates if reranker else 0,
        parent_of=index.parent_of,
        consolidator=consolidator,
        budget=core.context_budget,
        count_tokens=_embedder(spec).token_count if core.context_budget else None,
    )
