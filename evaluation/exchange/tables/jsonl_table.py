"""JSONL: an object a row, lists and objects as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.exchange.rag_tasks import json_line
from evaluation.exchange.table_files import TableFile, rows_of, table_files

if TYPE_CHECKING:
    from pandas import DataFrame


@table_files.register
class JsonlTable(TableFile):
    """An object a line, with a field for each column, null where the cell is empty."""

    key = "jsonl"
    label = "JSONL"
    content_type = "application/x-ndjson"

    def write(self, frame: DataFrame) -> bytes:
        """Return the file."""
        names = [str(name) for name in frame.columns]
        return "".join(json_line(dict(zip(names, row, strict=True))) for row in rows_of(frame)).encode()
