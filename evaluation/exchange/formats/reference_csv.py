"""A CSV of question, references, corpus_id: excerpts with offsets, as chunking benchmarks publish them."""

from __future__ import annotations

from typing import Any

from evaluation.exchange.base import TestSetReader, formats
from evaluation.exchange.csv_cells import CSV_TYPE, restore
from evaluation.exchange.evidence import Documents
from evaluation.exchange.fields import json_cell, question_text
from evaluation.exchange.problems import RowError, each_row
from evaluation.exchange.uploads import Upload
from evaluation.types import DraftEvidence, DraftQuestion


@formats.register
class ReferenceCsv(TestSetReader):
    """Simple questions with evidence and no reference answer: excerpts are not answers."""

    key = "reference_csv"
    label = "a CSV of question,references,corpus_id"
    help = "a CSV with question, references and corpus_id"
    looks = "a CSV of question, references, corpus_id"
    extensions = (".csv",)
    content_type = CSV_TYPE

    def recognises(self, upload: Upload) -> bool:
        """Its columns are there, and it is no output.csv."""
        return upload.columns >= {"question", "references", "corpus_id"} and "kind" not in upload.columns

    def read(self, upload: Upload, documents: Documents) -> list[DraftQuestion]:
        """Return the questions. Raises ConfigError."""
        numbered = [(place, (number, cells)) for number, (place, cells) in enumerate(upload.rows, 1)]
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
