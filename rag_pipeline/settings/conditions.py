"""When a core setting is read: the readers that fields of CoreSettings name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_pipeline.chunkers.base import Chunker, chunkers
from rag_pipeline.llm.target import BUILTIN_READER
from rag_pipeline.retrievers.base import Retriever, retrievers
from rag_pipeline.setting_fields import ReadBy

ONLY_READ_BY = "it is only read by"


def needs_vectors(values: Mapping[str, Any]) -> bool:
    """Tell whether these settings search by vectors."""
    retriever = _retriever(values)
    return retriever is not None and retriever.needs_vectors


def _retriever(values: Mapping[str, Any]) -> type[Retriever] | None:
    return retrievers.find(str(values.get("retriever")))


def _without_context(values: Mapping[str, Any]) -> str:
    return "" if values.get("use_context", True) else "it is only read with context"


def _with_context(values: Mapping[str, Any]) -> str:
    return "it is only read without context" if values.get("use_context", True) else ""


def _built_in(values: Mapping[str, Any]) -> str:
    return f"{BUILTIN_READER} does not read it" if values.get("llm") == BUILTIN_READER else ""


def _not_built_in(values: Mapping[str, Any]) -> str:
    return "" if values.get("llm") == BUILTIN_READER else f"{ONLY_READ_BY} {BUILTIN_READER}"


def _given_evidence(values: Mapping[str, Any]) -> str:
    retriever = _retriever(values)
    if retriever is None or not retriever.needs_evidence:
        return ""
    return f"the {retriever.label.lower()} retrieves the gold evidence itself"


def _cuts_nothing(values: Mapping[str, Any]) -> str:
    retriever = _retriever(values)
    return "" if retriever is None or retriever.needs_chunks else f"{retriever.label} searches no chunks"


def _embeds_nothing(values: Mapping[str, Any]) -> str:
    retriever = _retriever(values)
    if retriever is None or retriever.needs_vectors or _embeds_elsewhere(values):
        return ""
    return f"{retriever.label} embeds nothing"


def _embeds_elsewhere(values: Mapping[str, Any]) -> bool:
    """The embedding model or its tokenizer is also used to cut, and to count tokens."""
    chunker: type[Chunker] | None = chunkers.find(str(values.get("chunker")))
    cuts = (
        not _cuts_nothing(values)
        and chunker is not None
        and (
            getattr(chunker, "needs_embeddings", False)
            or ("chunk_unit" in chunker.Options.model_fields and values.get("chunk_unit") == "tokens")
        )
    )
    return cuts or str(values.get("context_budget") or "0").strip() != "0"


WITH_CONTEXT = ReadBy("the pipeline with context", _without_context)
WITHOUT_CONTEXT = ReadBy("the pipeline without context", _with_context)
SEARCH = ReadBy("the search for contexts", _given_evidence)
CHUNKS = ReadBy("the search of chunks", _cuts_nothing)
EMBEDDER = ReadBy("the embedding model", _embeds_nothing)
LANGUAGE_MODEL = ReadBy("a language model", _built_in)
BUILT_IN_READER = ReadBy("the built-in reader", _not_built_in)
