"""A test set as JSONL of the RAG task format, as other systems write their questions and answers."""

from __future__ import annotations

from typing import Any

from evaluation.exchange.base import TestSetReader, formats
from evaluation.exchange.evidence import Documents
from evaluation.exchange.fields import json_value, question_text, reference_list, short_id, storable
from evaluation.exchange.problems import RowError, each_row
from evaluation.exchange.uploads import Upload
from evaluation.types import DraftEvidence, DraftQuestion


@formats.register
class TaskJsonl(TestSetReader):
    """The questions alone, without the other system's answers and contexts."""

    key = "task_jsonl"
    label = "JSONL of the RAG task format"
    help = "JSONL"
    looks = "JSONL with a question in each line"
    last_resort = True
    extensions = (".jsonl", ".json")
    content_type = "application/x-ndjson"

    def recognises(self, upload: Upload) -> bool:
        """It begins with an object."""
        return upload.begins_with("{")

    def read(self, upload: Upload, documents: Documents) -> list[DraftQuestion]:
        """Return the questions. Raises ConfigError."""
        rows = [(f"Line {number}", (number, line)) for number, line in upload.lines]
        return each_row(rows, lambda row: _draft(*row, documents))


def _draft(number: int, line: str, documents: Documents) -> DraftQuestion:
    try:
        task = storable(json_value(line))
    except ValueError as error:
        raise RowError(f"it is not JSON ({error}).") from error
    if not isinstance(task, dict):
        raise RowError("it is not a JSON object.")
    answerable = task.get("is_answerable_label")
    if answerable is not None and not isinstance(answerable, bool):
        raise RowError("is_answerable_label is neither true nor false.")
    name = short_id(str(task.get("question_id") or "").strip() or f"q{number:03d}", "question_id")
    return DraftQuestion(
        name,
        name,
        "out_of_scope" if answerable is False else "simple",
        question_text(task.get("question")),
        () if answerable is False else reference_list(task.get("reference_answers") or [], "reference_answers"),
        () if answerable is False else _evidence(task, documents),
        split="",
        metadata=_metadata(task.get("metadata_field")),
    )


def _evidence(task: dict[str, Any], documents: Documents) -> tuple[DraftEvidence, ...]:
    """Return the evidence by its ids where they name spans, else by its texts."""
    ids, texts = (_texts(task, name) for name in ("reference_context_ids", "reference_contexts"))
    if ids and texts and len(ids) != len(texts):
        raise RowError(f"there are {len(texts)} reference_contexts but {len(ids)} reference_context_ids.")
    found = []
    for number in range(max(len(ids), len(texts))):
        context_id, text = (each[number] if each else "" for each in (ids, texts))
        evidence = documents.by_id(context_id, text)
        if evidence is None and not text.strip():
            raise RowError(f"the reference_context_id “{context_id}” is not document:start-end, and no text is given.")
        found.append(evidence or documents.find(text))
    return tuple(dict.fromkeys(found))


def _texts(task: dict[str, Any], name: str) -> list[str]:
    value = task.get(name) or []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise RowError(f"{name} is not a list of texts.")
    return value


def _metadata(value: Any) -> dict[str, Any]:
    if value in (None, ""):
        return {}
    return value if isinstance(value, dict) else {"metadata_field": value}
