"""Loader for CSV: each row a record of `column: value` lines, whatever the separator."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from rag_pipeline.errors import DocumentError
from rag_pipeline.loaders.base import Loader, ParsedText, loaders
from rag_pipeline.loaders.decoding import decode
from rag_pipeline.loaders.layout.markdown import one_line
from rag_pipeline.loaders.records import numbers, record

_SEPARATORS = ",;\t|"
_SAMPLE_ROWS = 50
_LONGEST_CELL = 100_000_000
_EXCEL = re.compile(r"\Asep=(.)\n", re.IGNORECASE)
"""Spreadsheets may name the separator in a line of its own."""

_NUMBER = re.compile(r"[-+]?[\d.,]*\d[\d.,]*\s*[%€$£]?")
_YEAR = re.compile(r"(?:19|20)\d\d")

Row = tuple[int, list[str]]
"""The number of the line on which a row begins, and its cells."""


@loaders.register
class CsvLoader(Loader):
    """Finds out separator and head row; rows of another length are kept and named."""

    key = "csv"
    label = "CSV"
    extensions = (".csv", ".tsv")
    requires = {"charset_normalizer": "charset-normalizer"}

    def read(self, data: bytes, name: str) -> ParsedText:
        """Read the rows. Raises DocumentError for binary data and for a file without rows."""
        text, notes = decode(data)
        rows, remarks = _rows(text)
        if not rows:
            raise DocumentError("The file has no rows.")
        names, body, unnamed = _head(rows)
        notes = (*notes, *remarks, *unnamed, *_ragged(body, len(names)))
        columns = names + [f"column {number}" for number in range(len(names) + 1, 1 + max(map(_cells, rows)))]
        blocks = (record(zip(columns, cells, strict=False)) for _, cells in body)
        text = "\n\n".join(filter(None, blocks))
        return ParsedText(text or ", ".join(filter(None, names)), notes=notes)


def _rows(text: str) -> tuple[list[Row], tuple[str, ...]]:
    """Return the rows that hold anything, and remarks."""
    csv.field_size_limit(_LONGEST_CELL)
    first = _EXCEL.match(text)
    separator = first.group(1) if first else _separator(text)
    skipped = 1 if first else 0
    lines = text.split("\n")[skipped:]
    remarks: tuple[str, ...] = ()
    try:
        rows = list(_parsed(lines, separator, strict=True))
    except csv.Error:  # a quotation mark that is never closed would swallow the rest of the file
        rows = list(_parsed(lines, separator, strict=False))
        remarks = ("Its quotation marks are not paired: they are read as part of the text.",)
    return [(number + skipped, cells) for number, cells in rows if any(cell.strip() for cell in cells)], remarks


def _parsed(lines: Sequence[str], separator: str, *, strict: bool) -> Iterator[Row]:
    """Yield the rows; without `strict` a quotation mark is a character as any other."""
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if strict else csv.QUOTE_NONE
    source = (f"{line}\n" for line in lines)
    reader = csv.reader(source, delimiter=separator, quoting=quoting, strict=strict, skipinitialspace=strict)
    begin = 1
    for cells in reader:
        yield begin, cells
        begin = reader.line_num + 1


def _separator(text: str) -> str:
    """Return the separator by which most of the first rows have the same number of cells, more than one."""
    lines = text.split("\n", 4 * _SAMPLE_ROWS)[: 4 * _SAMPLE_ROWS]

    def fitness(separator: str) -> tuple[int, int]:
        counts: Counter[int] = Counter()
        try:
            for _, cells in _parsed(lines, separator, strict=True):
                counts[len(cells)] += len(cells) > 1
        except csv.Error:
            pass  # the sample may end within quotation marks: what came before it counts
        width, times = max(counts.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        return times, width

    best = max(_SEPARATORS, key=fitness)
    return best if fitness(best)[0] else ","


def _head(rows: list[Row]) -> tuple[list[str], list[Row], tuple[str, ...]]:
    """Return the names of the columns, the rows below them, and a remark when the file does not name them."""
    first = [one_line(cell) for cell in rows[0][1]]
    data = any(_NUMBER.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in first)
    if data:
        names = [f"column {number}" for number in range(1, len(first) + 1)]
        return names, rows, ("Without a head row: the columns are called column 1, column 2 and so on.",)
    names, seen = [], Counter[str]()
    for number, cell in enumerate(first, 1):
        name = cell or f"column {number}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return names, rows[1:], ()


def _ragged(body: list[Row], width: int) -> tuple[str, ...]:
    """Name the lines whose rows have another number of cells than the head."""
    lines = [number for number, cells in body if len(cells) != width]
    if not lines:
        return ()
    noun = "row has" if len(lines) == 1 else "rows have"
    where = "line" if len(lines) == 1 else "lines"
    return (f"{len(lines)} {noun} more or fewer than {width} cells: {where} {numbers(lines)}.",)


def _cells(row: Row) -> int:
    return len(row[1])
