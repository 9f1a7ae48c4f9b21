"""Retrieval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rag_pipeline.embedders.base import Embedder, embedders
from rag_pipeline.index_store import ChunkIndex
from rag_pipeline.types import Span
from tests.bench.corpora import Asked, Spans, chunking_eval, cut, index_of, paragraphs, squad

ORDER = 20
_TOP = 5
# (chunker, size in word pieces with the two special ones, overlap): recall, precision, omega, IoU in per cent, as
# computed independently on the same three corpora.
_REFERENCE = {
    ("recursive", 250, 125): (88.9, 5.0, 20.4, 5.0),
    ("recursive", 250, 0): (91.0, 5.4, 25.4, 5.4),
    ("recursive", 200, 0): (84.6, 6.3, 30.4, 6.3),
    ("fixed", 250, 125): (89.8, 4.1, 12.0, 4.0),
    ("fixed", 250, 0): (88.1, 4.0, 17.9, 4.0),
    ("fixed", 200, 0): (88.0, 5.0, 21.6, 5.0),
}
_SQUAD_REFERENCE = {
    "paragraphs": ".693 / .840 / .887, MRR@10 .775",
    "1000/200": ".687 / .833 / .867 / .933",
    "500/100": ".620 / .833 / .867 / .913",
    "500/0": ".547 / .773 / .827 / .907",
}


def run(data_dir: Path) -> dict[str, Any]:
    """Measure retrieval on the chunking corpora and on SQuAD articles."""
    embedder = embedders.get("local")("all-MiniLM-L6-v2", "head")
    return {"chunking": _chunking(data_dir, embedder), "squad": _squad(data_dir, embedder)}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = [
        "276 questions on three corpora (chunking_eval), five chunks each, all-MiniLM-L6-v2, `embed_mode=head`;"
        " per cent: recall / precision / precision-omega / IoU. The reference counts two special"
        " word pieces in every piece that its recursive splitter joins, so its recursive chunks are a little shorter"
        " than ours.",
        "",
        "| chunker | size / overlap | here | reference |",
        "|---|---|---|---|",
    ]
    for row in figures["chunking"]:
        reference = _REFERENCE[(row["chunker"], row["size"], row["overlap"])]
        here = " / ".join(f"{value:.1f}" for value in row["scores"])
        there = " / ".join(f"{value:.1f}" for value in reference)
        lines.append(f"| {row['chunker']} | {row['size']} / {row['overlap']} | {here} | {there} |")
    lines += [
        "",
        "150 answerable questions on seven SQuAD articles: the gold paragraph, or the answer span whole, is among the"
        " first k chunks.",
        "",
        "| chunks | hit@1 / 3 / 5 / 10 | MRR@10 | reference |",
        "|---|---|---|---|",
    ]
    for row in figures["squad"]:
        hits = " / ".join(f"{row['hits'][k]:.3f}" for k in (1, 3, 5, 10))
        lines.append(f"| {row['chunks']} | {hits} | {row['mrr']:.3f} | {_SQUAD_REFERENCE[row['chunks']]} |")
    return "\n".join(lines)


def _chunking(data_dir: Path, embedder: Embedder) -> list[dict[str, Any]]:
    documents, asked = chunking_eval(data_dir)
    queries = embedder.embed_queries([each.text for each in asked])
    rows = []
    for chunker, size, overlap in _REFERENCE:
        spans = cut(
            documents,
            embedder,
            chunker=chunker,
            chunk_unit="tokens",
            # The reference counts [CLS] and [SEP] once a text when it cuts by tokens, and in each piece when recursive.
            chunk_size=size if chunker == "fixed" else size - 2,
            chunk_overlap=str(overlap),
            embed_mode="head",
        )
        index = index_of(documents, spans, embedder)
        _, found = index.search(queries, _TOP)
        scores = np.mean([_score(each, index, found[line]) for line, each in enumerate(asked)], axis=0)
        rows.append(
            {"chunker": chunker, "size": size, "overlap": overlap, "scores": [100 * s for s in scores.tolist()]}
        )
    return rows


def _score(asked: Asked, index: ChunkIndex, rows: Any) -> tuple[float, float, float, float]:
    """Return recall, precision, precision-omega and IoU of one question."""
    wanted = _characters(asked.references)
    retrieved = [index.span(row) for row in rows]
    hit = len(wanted & _characters(retrieved))
    given = sum(len(span) for span in retrieved)
    touching = [index.span(row) for row in range(len(index)) if _touches(index.spans[row], asked.references)]
    ceiling = len(wanted) / len(_characters(touching)) if touching else 0.0
    total = sum(len(span) for span in asked.references)
    return hit / total, hit / given, ceiling, hit / (given + total - hit)


def _characters(spans: Any) -> set[tuple[int, int]]:
    return {(span.document_id, place) for span in spans for place in range(span.start, span.end)}


def _touches(row: Any, references: tuple[Span, ...]) -> bool:
    document, start, end = (int(value) for value in row)
    return any(each.document_id == document and each.start < end and start < each.end for each in references)


def _squad(data_dir: Path, embedder: Embedder) -> list[dict[str, Any]]:
    documents, questions = squad(data_dir)
    ids = {doc.name: doc.id for doc in documents}
    queries = embedder.embed_queries([each["question"] for each in questions])
    answers = [
        [Span(ids[each["article"]], answer["start_index"], answer["end_index"]) for answer in each["answers"]]
        for each in questions
    ]
    gold = [[Span(ids[each["article"]], each["context_start"], each["context_end"])] for each in questions]
    rows = [_ranks("paragraphs", index_of(documents, paragraphs(documents), embedder), queries, gold)]
    for name in ("1000/200", "500/100", "500/0"):
        size, overlap = name.split("/")
        spans: Spans = cut(documents, embedder, chunk_size=size, chunk_overlap=overlap, embed_mode="head")
        rows.append(_ranks(name, index_of(documents, spans, embedder), queries, answers))
    return rows


def _ranks(name: str, index: ChunkIndex, queries: Any, wanted: list[list[Span]]) -> dict[str, Any]:
    """Return hit rates and MRR@10 for spans that must lie whole within a chunk."""
    _, found = index.search(queries, 10)
    ranks = []
    for line, spans in enumerate(wanted):
        holds = [any(_holds(index.span(row), span) for span in spans) for row in found[line]]
        ranks.append(holds.index(True) + 1 if True in holds else 0)
    hits = {k: sum(0 < rank <= k for rank in ranks) / len(ranks) for k in (1, 3, 5, 10)}
    return {"chunks": name, "hits": hits, "mrr": sum(1 / rank for rank in ranks if rank) / len(ranks)}


def _holds(chunk: Span, span: Span) -> bool:
    return chunk.document_id == span.document_id and chunk.start <= span.start and span.end <= chunk.end
