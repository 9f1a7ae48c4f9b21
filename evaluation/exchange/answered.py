"""Answers of any other system from a file: JSONL in the RAG task format, a JSON list of its objects, or a CSV."""

from __future__ import annotations

from typing import Any

from evaluation.exchange.answered_jsonl import (
    COST,
    SECONDS,
    TOKENS,
    Task,
    read_answered,
    read_each,
    read_object,
)
from evaluation.exchange.csv_cells import restore
from evaluation.exchange.fields import json_cell, json_value
from evaluation.exchange.problems import NOTHING_SCORED, RowError, refuse
from evaluation.exchange.tables import File, decoded, table
from evaluation.types import Sample

TEXTS = ("question", "question_id", "answer")
LISTS = ("contexts", "contexts_id", "reference_answers", "reference_contexts", "reference_context_ids")
LABEL = "is_answerable_label"
METADATA = "metadata_field"
TAKEN = (*SECONDS, *TOKENS, COST)
KNOWN = (*TEXTS, METADATA, *LISTS, LABEL, *TAKEN)
"""Fields of the format."""

_FORMATS = (
    "Known are: JSONL with an object in each line, a JSON list of such objects, and a CSV with their fields as columns"
)
_TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

Answered = list[tuple[Task, Sample]]


def read_answers(file: File) -> Answered:
    """Return each object of a file and the sample that it is, in order.

    Raises ConfigError where the file is in no known format, naming the lines that do not fit.
    """
    name, text = file[0], decoded(file, NOTHING_SCORED)
    made = _read(name, text)
    if not made:
        raise refuse(f"“{name}” holds no answers.", NOTHING_SCORED)
    if not any(field in task for task, _ in made for field in KNOWN):
        raise refuse(f"No object of “{name}” has a field of the format: {', '.join(KNOWN)}.", NOTHING_SCORED)
    return made


def _read(name: str, text: str) -> Answered:
    first = text.lstrip()[0]
    if first == "{":
        return read_answered(text)
    if first == "[":
        items = enumerate(_json_list(text, name), 1)
        return read_each([(f"Object {number}", item) for number, item in items], read_object)
    columns, rows = table(text, name, NOTHING_SCORED)
    if not columns & {"question", "answer"}:
        raise refuse(f"“{name}” is in no known format. {_FORMATS}.", NOTHING_SCORED)
    return read_each(rows, _from_cells)


def _json_list(text: str, name: str) -> list[Any]:
    try:
        items: list[Any] = json_value(text)
    except ValueError as error:
        raise refuse(f"“{name}” is not JSON ({error}).", NOTHING_SCORED) from error
    return items


def _from_cells(row: dict[str, str]) -> Task:
    """Return a CSV row as an object; an empty cell is a field that is not there, but an empty answer is one."""
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
        return _number(cell, name)
    if name == METADATA and cell.lstrip().startswith("{"):
        return json_cell(cell, name, dict)
    return restore(cell)


def _number(cell: str, name: str) -> float:
    try:
        number = json_value(cell)
    except ValueError as error:
        raise RowError(f"{name} is not a number.") from error
    return number  # type: ignore[no-any-return]  # what is no number is refused with the sample
