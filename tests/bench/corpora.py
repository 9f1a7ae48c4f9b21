"""Documents and questions of the benchmark data, as the engine takes them."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rag_pipeline.embedders.base import Embedder
from rag_pipeline.indexing.index_store import ChunkIndex
from rag_pipeline.pipeline.chunking import chunk_documents
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import SourceDoc, Span

Spans = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Asked:
    """A question with the spans that answer it."""

    text: str
    references: tuple[Span, ...]


def chunking_eval(folder: Path) -> tuple[list[SourceDoc], list[Asked]]:
    """Return the three corpora and their 276 questions."""
    files = sorted((folder / "chunking_eval").glob("*.md"))
    documents = [
        SourceDoc(number, path.stem, path.read_bytes().decode("utf-8")) for number, path in enumerate(files, 1)
    ]
    ids = {doc.name: doc.id for doc in documents}
    with (folder / "chunking_eval" / "questions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    asked = []
    for row in rows:
        spans = [(each["start_index"], each["end_index"]) for each in json.loads(row["references"])]
        asked.append(Asked(row["question"], tuple(Span(ids[row["corpus_id"]], *span) for span in spans)))
    return documents, asked


def squad(folder: Path) -> tuple[list[SourceDoc], list[dict[str, Any]]]:
    """Return the seven articles and the answerable questions."""
    files = sorted((folder / "squad2" / "articles").glob("*.txt"))
    documents = [
        SourceDoc(number, path.stem, path.read_bytes().decode("utf-8")) for number, path in enumerate(files, 1)
    ]
    lines = (folder / "squad2" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    return documents, [question for question in questions if not question["is_impossible"]]


def paragraphs(documents: list[SourceDoc]) -> Spans:
    """Return the paragraphs of articles as chunk rows (document id, start, end)."""
    rows = []
    for doc in documents:
        start = 0
        for part in doc.text.split("\n\n"):
            if part.strip():
                rows.append((doc.id, start, start + len(part)))
            start += len(part) + 2
    return np.asarray(rows, np.int64)


def index_of(documents: list[SourceDoc], spans: Spans, embedder: Embedder) -> ChunkIndex:
    """Embed chunk rows into an index in memory."""
    by_id = {doc.id: doc for doc in documents}
    texts = [by_id[document].text[start:end] for document, start, end in spans.tolist()]
    return ChunkIndex(by_id, spans, embedder.embed_passages(texts), embedder)


def cut(documents: list[SourceDoc], embedder: Embedder, **settings: Any) -> Spans:
    """Cut documents as the pipeline would with these settings."""
    return chunk_documents(documents, PipelineSpec.create(settings), embedder).spans
