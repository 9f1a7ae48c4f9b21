"""Consolidation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag_pipeline.consolidators.base import consolidators
from rag_pipeline.embedders.base import Embedder, embedders
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.pipeline.retrieval import contexts_of
from rag_pipeline.types import Hit, SourceDoc, Span
from tests.bench.corpora import Asked, chunking_eval, cut, index_of, squad

ORDER = 25
_TOP = 4
_SIZES = ("400", "1000", "2000")


def run(data_dir: Path) -> dict[str, Any]:
    """Measure `extract` on the questions that its numbers were not chosen on."""
    embedder = embedders.get("local")("all-MiniLM-L6-v2", "mean")
    corpora = {"chunking_eval": chunking_eval(data_dir), "SQuAD articles": _squad(data_dir)}
    return {
        "rows": [
            _measured(name, documents, asked[1::2], embedder, size)
            for name, (documents, asked) in corpora.items()
            for size in _SIZES
        ]
    }


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = [
        f"`consolidate=extract` after recursive chunks (15 % overlap), dense retrieval, {_TOP} chunks a question."
        " Context matching is the share of the evidence's characters in what is given to the model (for SQuAD: of the"
        " sentence with the answer); evidence and text kept are shares of what the unshortened contexts hold. Its three"
        " numbers were chosen on every second question at 1,000 characters; these are the other half. Target: 90 % of"
        " the evidence kept in at most half of the text.",
        "",
        "| questions | chunk size | context matching before | after | evidence kept | text kept |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['name']}, {row['questions']} | {int(row['size']):,} | {row['before']:.3f} | {row['after']:.3f} "
        f"| {row['after'] / row['before']:.3f} | {row['text']:.3f} |"
        for row in figures["rows"]
    ]
    return "\n".join(lines)


def _measured(
    name: str, documents: list[SourceDoc], asked: Sequence[Asked], embedder: Embedder, size: str
) -> dict[str, Any]:
    index = index_of(documents, cut(documents, embedder, chunk_size=size), embedder)
    _, found = index.search(embedder.embed_queries([each.text for each in asked]), _TOP)
    by_id = {doc.id: doc for doc in documents}
    contexts = [
        contexts_of([Hit(index.span(row), 1 / rank, rank) for rank, row in enumerate(rows, 1)], by_id)
        for rows in found.tolist()
    ]
    extract = consolidators.get("extract")(embed=embedder.embed_passages)
    kept = extract.consolidate_many([each.text for each in asked], contexts)
    before = [_characters([context.span for context in row]) for row in contexts]
    after = [_characters([hit.span for hit in hits]) for hits in kept]
    return {
        "name": name,
        "questions": len(asked),
        "size": size,
        "before": _matching(asked, before),
        "after": _matching(asked, after),
        "text": float(np.mean([len(less) / len(more) for less, more in zip(after, before, strict=True)])),
    }


def _matching(asked: Sequence[Asked], given: Sequence[set[tuple[int, int]]]) -> float:
    wanted = [_characters(each.references) for each in asked]
    return float(np.mean([len(gold & own) / len(gold) for gold, own in zip(wanted, given, strict=True)]))


def _characters(spans: Sequence[Span]) -> set[tuple[int, int]]:
    return {(span.document_id, place) for span in spans for place in range(span.start, span.end)}


def _squad(data_dir: Path) -> tuple[list[SourceDoc], list[Asked]]:
    """Return the articles, and each question with the sentence that holds its answer."""
    documents, questions = squad(data_dir)
    by_name = {doc.name: doc for doc in documents}
    return documents, [_with_sentence(question, by_name[question["article"]]) for question in questions]


def _with_sentence(question: dict[str, Any], doc: SourceDoc) -> Asked:
    start, answer = question["context_start"], question["answers"][0]
    spans = [
        Span(doc.id, start + sentence.start, start + sentence.end)
        for sentence in split_sentences(doc.text[start : question["context_end"]])
        if start + sentence.start < answer["end_index"] and answer["start_index"] < start + sentence.end
    ]
    return Asked(question["question"], tuple(spans))
