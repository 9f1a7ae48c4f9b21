"""A CSV of question, references, corpus_id: excerpts with offsets, as chunking benchmarks publish them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.exchange.csv_cells import restore
from evaluation.exchange.evidence import Documents
from evaluation.exchange.fields import json_cell, question_text
from evaluation.exchange.problems import RowError, each_row
from evaluation.types import DraftEvidence, DraftQuestion


def read_reference_rows(rows: Sequence[tuple[str, dict[str, str]]], documents: Documents) -> list[DraftQuestion]:
    """Return simple questions with evidence and no reference answer: excerpts are not answers. Raises ConfigError."""
    numbered = [(place, (number, cells)) for number, (place, cells) in enumerate(rows, 1)]
    return each_row(numbered, lambda row: _draft(row[0], row[1], documents))


def _draft(number: int, cells: dict[str, str], documents: Documents) -> DraftQuestion:
    document = restore(cells["corpus_id"]).strip()
    excerpts = json_cell(cells["references"], "references", list)
    if not excerpts:
        raise RowError("references is empty.")
    name = f"q{number:03d}"
    return DraftQuestion(
        name,
        name,
        "simple",
        question_text(restore(cells["question"])),
        evidence=tuple(_excerpt(each, document, documents) for each in excerpts),
        split="",
    )


def _excerpt(value: Any, document: str, documents: Documents) -> DraftEvidence:
    if not isinstance(value, dict) or not isinstance(value.get("content"), str):
        raise RowError("references is not a list of objects with content, start_index and end_index.")
    if value.get("start_index") is None and value.get("end_index") is None:
        return documents.find(value["content"], document)
    return documents.span(document, value.get("start_index"), value.get("end_index"), value["content"])
