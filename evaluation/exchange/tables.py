"""Files of text and their tables: decoding, delimiter, header, rows by column."""

from __future__ import annotations

import csv

from evaluation.exchange.csv_cells import from_csv
from evaluation.exchange.problems import NOTHING_IMPORTED, refuse

File = tuple[str, bytes]
"""Name and content."""

_DELIMITERS = (",", ";", "\t")


def decoded(file: File, nothing: str = NOTHING_IMPORTED) -> str:
    """Return a file's text. Raises ConfigError for one that is empty or not UTF-8; `nothing`: what was not done."""
    name, data = file
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        how = "Save it as “CSV UTF-8”" if name.lower().endswith(".csv") else "Save it as UTF-8"
        raise refuse(f"“{name}” is not UTF-8 text (byte {error.start}). {how}.", nothing) from error
    if not text.strip():
        raise refuse(f"“{name}” is empty.", nothing)
    return text


def table(text: str, name: str, nothing: str = NOTHING_IMPORTED) -> tuple[set[str], list[tuple[str, dict[str, str]]]]:
    """Return the columns, and each row with its place (“Row 2”) and its cells by column. Raises ConfigError."""
    lines = cells(text, name, _delimiter(text), nothing)
    header = [cell.strip() for cell in lines[0]]
    twice = next((name for name in header if name and header.count(name) > 1), "")
    if twice:
        raise refuse(f"“{name}” has the column {twice} more than once. Leave one.", nothing)
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if not any(cell.strip() for cell in line):
            continue
        if len(line) != len(header):
            raise refuse(f"Row {number}: it has {len(line)} cells, the header has {len(header)}.", nothing)
        rows.append((f"Row {number}", dict(zip(header, line, strict=True))))
    return set(header), rows


def cells(text: str, name: str, delimiter: str = ",", nothing: str = NOTHING_IMPORTED) -> list[list[str]]:
    """Return the cells of a CSV file, row by row. Raises ConfigError."""
    try:
        return from_csv(text, delimiter)
    except csv.Error as error:
        raise refuse(f"“{name}” is not a well-formed CSV file: {error}.", nothing) from error


def _delimiter(text: str) -> str:
    """Return what separates the cells: spreadsheets of many countries save semicolons."""
    first = text.lstrip().splitlines()[0]
    return max(_DELIMITERS, key=first.count)
