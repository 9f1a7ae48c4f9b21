"""Cells of our CSV files: null is empty, lists are JSON, nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from json.encoder import encode_basestring
from typing import Any

_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_NEUTRALISED = re.compile(r"'+[=+\-@\t\r\n]")
_SPECIAL = re.compile('[",\r\n]')
_FIRST = frozenset("'=+-@\t\r\n")
_JSON = json.JSONEncoder(ensure_ascii=False).encode
LONGEST_CELL = 100_000_000
CSV_TYPE = "text/csv; charset=utf-8"


def neutralise(text: str) -> str:
    """Return `text` so that no spreadsheet takes it for a formula: an apostrophe goes before =, +, -, @, tab, CR, LF.

    A text that has apostrophes before such a character gets one more, so that `restore` always gives the text back.
    """
    return f"'{text}" if text[:1] in _FIRST and _FORMULA.match(text) else text


def restore(cell: str) -> str:
    """Undo `neutralise`."""
    return cell[1:] if _NEUTRALISED.match(cell) else cell


def cell(value: Any) -> str:
    """Return a value as a cell of CSV: as text, which no spreadsheet takes for a formula."""
    return neutralise(value) if isinstance(value, str) else as_text(value)


def as_text(value: Any) -> str:
    """Return a value as text: None empty, true or false, numbers as they are, lists and objects as JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, list) and all(type(item) is str for item in value):
        return f"[{', '.join(map(encode_basestring, value))}]"  # as below, in a fifth of the time
    if isinstance(value, (list, dict)):
        return _JSON(value)
    return str(value)


def to_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Return a UTF-8 CSV file."""
    lines = [
        ",".join(["" if value is None or value == "" else _quoted(cell(value)) for value in row])
        for row in chain([header], rows)
    ]
    # CRLF as in RFC 4180. A model may answer with half a surrogate pair, which UTF-8 cannot hold.
    return "\r\n".join([*lines, ""]).encode("utf-8", errors="replace")


def _quoted(text: str) -> str:
    """Return a cell as `csv.writer` would write it; long texts take that one several times as long."""
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text


def from_csv(text: str, delimiter: str = ",") -> list[list[str]]:
    """Return the cells of a CSV file, row by row; a blank line is an empty row. Raises csv.Error."""
    return list(_reader(text, delimiter))


def first_row(text: str, delimiter: str = ",") -> list[str]:
    """Return the cells of the first row alone, none of an empty text. Raises csv.Error."""
    return next(_reader(text, delimiter), [])


def _reader(text: str, delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(LONGEST_CELL)  # evidence may be longer than the 128 KiB that Python allows by default
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
