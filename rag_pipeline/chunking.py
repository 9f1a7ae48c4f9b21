"""From documents and settings to an array of chunk spans."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rag_pipeline.chunkers.base import Chunker, chunkers
from rag_pipeline.embedders.base import Embedder
from rag_pipeline.spec import PipelineSpec
from rag_pipeline.types import SourceDoc


def make_chunker(spec: PipelineSpec, embedder: Embedder) -> Chunker:
    """Return the chunker that `spec` asks for. Tokens are those of `embedder`."""
    unit = chunkers.get(spec.core.chunker, "chunker")
    options = spec.chunker_options
    in_tokens = getattr(options, "chunk_unit", "characters") == "tokens"
    return unit(options, embedder.token_offsets if in_tokens else None)


def chunk_documents(documents: Sequence[SourceDoc], spec: PipelineSpec, embedder: Embedder) -> npt.NDArray[np.int64]:
    """Return all chunks as rows (document id, start, end), in order of document and position; shape (n, 3)."""
    chunker = make_chunker(spec, embedder)
    rows = [(span.document_id, span.start, span.end) for doc in documents for span in chunker.split(doc)]
    return np.asarray(rows, np.int64).reshape(-1, 3)
