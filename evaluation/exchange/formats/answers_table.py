"""Answers as a CSV whose columns are fields of the RAG task format."""

from __future__ import annotations

from typing import Any

from evaluation.exchange.base import AnswersReader, formats
from evaluation.exchange.csv_cells import CSV_TYPE, restore
from evaluation.exchange.fields import json_cell, json_value
from evaluation.exchange.problems import RowError
from evaluation.exchange.rag_tasks import LABEL, LISTS, METADATA, TAKEN, Answered, Task, read_each
from evaluation.exchange.uploads import Upload

_TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


@formats.register
class AnswersTable(AnswersReader):
    """A row an object; lists and objects are JSON in their cells."""

    key = "answers_table"
    label = "a CSV with such columns"
    help = "a CSV with the same fields"
    looks = "a CSV with their fields as columns"
    last_resort = True
    extensions = (".csv",)
    content_type = CSV_TYPE

    def recognises(self, upload: Upload) -> bool:
        """There are questions or answers."""
        return not upload.begins_with("[") and bool(upload.columns & {"question", "answer"})

    def read(self, upload: Upload) -> Answered:
        """Return each row's object and its sample. Raises ConfigError."""
        return read_each(upload.rows, _task)


def _task(row: dict[str, str]) -> Task:
    """Return a row as an object; an empty cell is a field that is not there, but an empty answer is one."""
    task: Task = {}
    for name, cell in row.items():
        if cell.strip() or name == "answer":
            task[name] = _value(name, cell)
    return task


def _value(name: str, cell: str) -> Any:
    if name in LISTS:
        plain = name == "reference_answers" and not cell.lstrip().startswith("[")
        return [restore(cell)] if plain else json_cell(cell, name, list)
    if name == LABEL:
        if cell.strip().lower() not in _TRUTHS:
            raise RowError(f"{LABEL} is neither true nor false.")
        return _TRUTHS[cell.strip().lower()]
    if name in TAKEN:
        return number(cell, name)
    if name == METADATA and cell.lstrip().startswith("{"):
        return json_cell(cell, name, dict)
    return restore(cell)


def number(cell: str, name: str) -> float:
    """Return the number in a cell. Raises RowError for what is none."""
    try:
        number = json_value(cell)
    except ValueError as error:
        raise RowError(f"{name} is not a number.") from error
    return number  # type: ignore[no-any-return]  # what is no number is refused with the sample
