"""Which format a file of questions is in, and its questions."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from evaluation.csv_cells import from_csv
from evaluation.exchange.evidence import Documents
from evaluation.exchange.fields import finished
from evaluation.exchange.output_csv import read_output
from evaluation.exchange.problems import refuse
from evaluation.exchange.question_lists import read_lists
from evaluation.exchange.reference_csv import read_reference_rows
from evaluation.exchange.task_jsonl import read_tasks
from evaluation.types import DraftQuestion
from rag_pipeline.types import SourceDoc

OUTPUT_NEEDS = {"question", "kind"}
REFERENCE_NEEDS = {"question", "references", "corpus_id"}
_DELIMITERS = (",", ";", "\t")
_KNOWN = (
    "Known are: output.csv (columns question, kind …), a CSV of question, references, corpus_id, "
    "two files of one column each (questions and answers), and JSONL with a question in each line."
)

File = tuple[str, bytes]


def read_questions(file: File, answers: File | None, documents: Sequence[SourceDoc]) -> list[DraftQuestion]:
    """Return the questions of a file, given as (name, bytes). Raises ConfigError naming row and reason."""
    return finished(_read(file, answers, Documents(documents)))


def _read(file: File, answers: File | None, documents: Documents) -> list[DraftQuestion]:
    text = _decoded(file)
    if answers is not None:
        return read_lists(_cells(text, file[0]), _cells(_decoded(answers), answers[0]))
    if text.lstrip().startswith("{"):
        return read_tasks(text, documents)
    header, rows = _table(text, file[0])
    if header >= REFERENCE_NEEDS and "kind" not in header:
        return read_reference_rows(rows, documents)
    if header >= OUTPUT_NEEDS:
        return read_output(rows, documents)
    if len(header) == 1:
        raise refuse(f"“{file[0]}” has only questions. Give the file with their answers too.")
    raise refuse(f"“{file[0]}” is in no known format. {_KNOWN}")


def _decoded(file: File) -> str:
    name, data = file
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refuse(f"“{name}” is not UTF-8 text (byte {error.start}). Save it as “CSV UTF-8”.") from error
    if not text.strip():
        raise refuse(f"“{name}” is empty.")
    return text.replace("\x00", "")


def _table(text: str, name: str) -> tuple[set[str], list[tuple[str, dict[str, str]]]]:
    """Return the columns, and each row with its place and its cells by column."""
    lines = _cells(text, name, _delimiter(text))
    header = [cell.strip() for cell in lines[0]]
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if not any(cell.strip() for cell in line):
            continue
        if len(line) != len(header):
            raise refuse(f"Row {number}: it has {len(line)} cells, the header has {len(header)}.")
        rows.append((f"Row {number}", dict(zip(header, line, strict=True))))
    return set(header), rows


def _delimiter(text: str) -> str:
    """Return what separates the cells: spreadsheets of many countries save semicolons."""
    first = text.lstrip().splitlines()[0]
    return max(_DELIMITERS, key=first.count)


def _cells(text: str, name: str, delimiter: str = ",") -> list[list[str]]:
    try:
        return from_csv(text, delimiter)
    except csv.Error as error:
        raise refuse(f"“{name}” is not a well-formed CSV file: {error}.") from error
