"""The built-in reader: does it decline alike whatever the size of the chunks?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rag_pipeline.embedders.base import embedders
from rag_pipeline.extractive_qa.answerability import AnswerabilityModel
from rag_pipeline.extractive_qa.extractive_reader import ExtractiveReader, ReadResult
from rag_pipeline.extractive_qa.span_reader import shipped_reader
from rag_pipeline.extractive_qa.trained_model import card
from rag_pipeline.pipeline.retrieval import contexts_of
from rag_pipeline.retrievers.base import retrievers
from rag_pipeline.types import GenerationRequest, Hit, Query, Span
from tests.bench.corpora import chunking_eval, cut, index_of

ORDER = 41
_SIZES = (100, 200, 400, 800, 1600)
_OVERLAP = 0.2
_TOP = 5
"""Contexts a question."""


def run(data_dir: Path) -> dict[str, Any]:
    """Ask people's questions with the chunks found, and with those that are left when none holds evidence."""
    embedder = embedders.get("local")("all-MiniLM-L6-v2", "mean")
    model = AnswerabilityModel.of(card())
    reader = ExtractiveReader(embedder.embed_passages, shipped_reader(), model)
    documents, asked = chunking_eval(data_dir)
    by_id = {doc.id: doc for doc in documents}
    rows = []
    for size in _SIZES:
        spans = cut(documents, embedder, chunk_size=size, chunk_overlap=int(_OVERLAP * size))
        dense = retrievers.get("dense")(index_of(documents, spans, embedder))
        rankings = dense.retrieve_many([Query(each.text) for each in asked], len(spans))
        found, absent = [], []
        for each, hits in zip(asked, rankings, strict=True):
            if any(_holds(hit, each.references) for hit in hits[:_TOP]):
                found.append(_request(each.text, hits[:_TOP], by_id))
            absent.append(_request(each.text, [hit for hit in hits if not _holds(hit, each.references)][:_TOP], by_id))
        there, not_there = reader.find(found), reader.find(absent)
        row: dict[str, Any] = {"size": size, "found": len(found), "absent": len(absent)}
        for name, used in (("without", replace(model, short=0.0)), ("with", model)):
            row[name] = {"answered": _answered(there, used), "declined": 1 - _answered(not_there, used)}
        rows.append(row)
    return {"rows": rows}


def _holds(hit: Hit, evidence: Sequence[Span]) -> bool:
    span = hit.span
    return any(span.document_id == e.document_id and span.start < e.end and e.start < span.end for e in evidence)


def _request(question: str, hits: Sequence[Hit], documents: Any) -> GenerationRequest:
    return GenerationRequest(question, contexts_of(hits, documents), "", "", "")


def _answered(results: Sequence[ReadResult], model: AnswerabilityModel) -> float:
    return sum(each.probability(model) >= model.strictness for each in results) / len(results)


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = [
        "The 276 questions of chunking_eval, of which the reader has learned none, with the five nearest chunks. "
        "*Answered*: of those that have evidence among them. *Declined*: the same questions with all chunks left out "
        "that hold evidence. *Before*: without regard to how short the chunks are.",
        "",
        "| chunk size | answered before | answered | declined before | declined |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in figures["rows"]:
        before, now = row["without"], row["with"]
        shares = (before["answered"], now["answered"], before["declined"], now["declined"])
        lines.append(f"| {row['size']:,} | {' | '.join(f'{share:.2f}' for share in shares)} |")
    return "\n".join(lines)
