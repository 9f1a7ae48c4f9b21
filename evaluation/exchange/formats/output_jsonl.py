"""output.jsonl: the table of output.csv as an object a question, for programs that read line by line."""

from __future__ import annotations

from evaluation.exchange.base import TestSetReader, formats
from evaluation.exchange.csv_cells import cell
from evaluation.exchange.evidence import Documents
from evaluation.exchange.fields import json_value
from evaluation.exchange.formats.output_csv import OutputTable, draft_of
from evaluation.exchange.problems import RowError, each_row
from evaluation.exchange.uploads import Upload
from evaluation.types import DraftQuestion


@formats.register
class OutputJsonl(OutputTable, TestSetReader):
    """The columns of output.csv as fields, lists and objects as they are."""

    key = "output_jsonl"
    label = "output.jsonl"
    help = "output.jsonl (the same as JSONL)"
    looks = "output.jsonl (fields question, kind, spans …)"
    extensions = (".jsonl",)
    content_type = "application/x-ndjson"
    filename = "output.jsonl"
    ending = ".jsonl"

    def recognises(self, upload: Upload) -> bool:
        """Its first object has our fields."""
        if not upload.begins_with("{"):
            return False
        try:
            first = json_value(upload.lines[0][1])
        except ValueError:
            return False
        return isinstance(first, dict) and first.keys() >= {"question", "kind", "spans"}

    def read(self, upload: Upload, documents: Documents) -> list[DraftQuestion]:
        """Return the questions. Raises ConfigError."""
        rows = [(f"Line {number}", (place, line)) for place, (number, line) in enumerate(upload.lines, 1)]
        return each_row(rows, lambda row: draft_of(row[0], _cells(row[1]), documents))


def _cells(line: str) -> dict[str, str]:
    try:
        fields = json_value(line)
    except ValueError as error:
        raise RowError(f"it is not JSON ({error}).") from error
    if not isinstance(fields, dict):
        raise RowError("it is not a JSON object.")
    return {str(name): cell(value) for name, value in fields.items()}
