"""From documents and settings to a table of chunks."""

from __future__ import annotations

from collections.abc import Sequence

from rag_pipeline.chunkers.base import Chunker, chunkers
from rag_pipeline.embedders.base import Embedder
from rag_pipeline.indexing.chunk_table import ChunkTable
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import SourceDoc


def make_chunker(spec: PipelineSpec, embedder: Embedder) -> Chunker:
    """Return the chunker that `spec` asks for. Tokens, and vectors where it needs some, are those of `embedder`."""
    unit = chunkers.get(spec.core.chunker, "chunker")
    options = spec.chunker_options
    in_tokens = getattr(options, "chunk_unit", "characters") == "tokens"
    return unit(
        options,
        embedder.token_offsets if in_tokens else None,
        embedder.embed_passages if unit.needs_embeddings else None,
    )


def chunk_documents(documents: Sequence[SourceDoc], spec: PipelineSpec, embedder: Embedder) -> ChunkTable:
    """Return all chunks. Raises ProviderError where the chunker needs vectors and gets none."""
    chunker = make_chunker(spec, embedder)
    return ChunkTable.of([chunk for doc in documents for chunk in chunker.chunks(doc)])


def texts_to_embed_first(documents: Sequence[SourceDoc], spec: PipelineSpec, embedder: Embedder) -> list[str]:
    """Return the texts that must be embedded before the chunks are known; empty for most chunkers."""
    chunker = make_chunker(spec, embedder)
    return [text for doc in documents for text in chunker.texts_to_embed(doc)]
