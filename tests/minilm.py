"""The shipped embedding model for tests: its weights are read once a process."""

from __future__ import annotations

from rag_pipeline.embedders.base import Embedder
from rag_pipeline.services.indexes import open_embedder


def minilm() -> Embedder:
    """Return the model as the product opens it, without the cache in front."""
    return open_embedder("local:all-MiniLM-L6-v2").inner
