"""Opening a pipeline over a stored corpus."""

from __future__ import annotations

import datetime as dt

from rag_pipeline.errors import ConfigError
from rag_pipeline.generators.base import Generator, generator_for
from rag_pipeline.models import Corpus
from rag_pipeline.pipeline import Pipeline, contexts_of
from rag_pipeline.retrievers.base import Retriever, retrievers
from rag_pipeline.services.corpora import source_docs
from rag_pipeline.services.indexes import open_embedder, open_index
from rag_pipeline.spec import PipelineSpec
from rag_pipeline.types import Context, Query

READER_EMBEDDING = "local:all-MiniLM-L6-v2"
"""What the builtin reader compares sentences with, whatever embedding retrieves."""


def open_generator(spec: PipelineSpec) -> Generator:
    """Return the model of `spec`. Raises ConfigError, ProviderError when it cannot be used at all."""
    generator = generator_for(spec.core.llm, spec.core.temperature, spec.core.max_tokens)
    if hasattr(generator, "embed"):
        generator.embed = open_embedder(READER_EMBEDDING).embed_passages
    return generator


def open_pipeline(*, corpus: Corpus, spec: PipelineSpec, until: dt.datetime | None = None) -> Pipeline:
    """Return a pipeline ready to answer, building its index when needed. Raises ConfigError, ProviderError.

    `until`: see `source_docs`.
    """
    documents = source_docs(corpus=corpus, until=until)
    generator = open_generator(spec)
    retriever: Retriever | None = None
    if spec.core.use_context:
        index = open_index(corpus=corpus, spec=spec, until=until)
        unit = retrievers.get(spec.core.retriever, "retriever")
        retriever = unit(index, spec.retriever_options)
    return Pipeline(spec, documents, retriever, generator)


def search(*, corpus: Corpus, spec: PipelineSpec, query: str) -> tuple[Context, ...]:
    """Return the chunks that `spec` retrieves for a query, best first, with their texts. Raises ConfigError."""
    if not query.strip():
        raise ConfigError("Write what to search for.", "query")
    if not spec.core.use_context:
        raise ConfigError("These settings use no context: there is nothing to search. Switch Use context on.")
    documents = source_docs(corpus=corpus)
    index = open_index(corpus=corpus, spec=spec)
    retriever = retrievers.get(spec.core.retriever, "retriever")(index, spec.retriever_options)
    hits = retriever.retrieve_many([Query(query)], spec.core.top_k)[0]
    return contexts_of(hits, {doc.id: doc for doc in documents})
