"""The workbench for programs built with LangChain: its retrieval as a retriever, its pipeline as a runnable.

`faiss_retriever` makes a retriever of an index that was exported, or that another program wrote. The first two need
the workbench's data folder (`WORKBENCH_DATA_DIR`) and a corpus in it; nothing else need be running.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.apps import apps

from rag_pipeline.indexing.faiss_files import read_faiss_files
from rag_pipeline.langchain.runnables import FaissRetriever, WorkbenchPipeline, WorkbenchRetriever
from rag_pipeline.pipeline.pipeline import Pipeline
from rag_pipeline.settings.pipeline_spec import PipelineSpec

__all__ = ["faiss_retriever", "workbench_pipeline", "workbench_retriever"]

Settings = Mapping[str, Any]


def workbench_retriever(corpus: str, settings: Settings | None = None) -> WorkbenchRetriever:
    """Return all steps of retrieval over a corpus, by name, as a LangChain retriever.

    `settings` are those of `--set`: `{"retriever": "hybrid", "top_k": 6}`. The index is built where it is missing.
    Raises ConfigError, ProviderError.
    """
    return WorkbenchRetriever.over(_opened(corpus, settings))


def workbench_pipeline(corpus: str, settings: Settings | None = None) -> WorkbenchPipeline:
    """Return the whole pipeline as a LangChain runnable: a question to a dict of `input`, `context` and `answer`.

    See `workbench_retriever` for the rest.
    """
    return WorkbenchPipeline(_opened(corpus, settings))


def faiss_retriever(folder: str | Path, embedding: str, top_k: int = 4) -> FaissRetriever:
    """Return a retriever over `index.faiss` and `chunks.jsonl` in a folder: see `indexing.faiss_files`.

    `embedding` is the setting that the vectors were made with. Raises ConfigError.
    """
    _set_up()
    from rag_pipeline.services.indexes import open_embedder

    return FaissRetriever.of(read_faiss_files(Path(folder)), open_embedder(embedding), top_k)


def _opened(corpus: str, settings: Settings | None) -> Pipeline:
    _set_up()
    from rag_pipeline.services.corpora import get_corpus
    from rag_pipeline.services.pipelines import open_pipeline, prepare_pipeline

    spec, over = PipelineSpec.create(settings), get_corpus(name=corpus)
    for _ in prepare_pipeline(corpus=over, spec=spec):
        pass
    return open_pipeline(corpus=over, spec=spec)


def _set_up() -> None:
    """Make the database known, as `manage.py` does, in a program that is not the workbench's own."""
    if apps.ready:
        return
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    django.setup()
