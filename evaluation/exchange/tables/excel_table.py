"""Excel: a sheet with a header; no cell is a formula, those of others are read as the value they had."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from typing import TYPE_CHECKING, Any

from evaluation.exchange.csv_cells import cell, restore
from evaluation.exchange.table_files import TableFile, rows_of, table_files
from rag_pipeline.errors import ConfigError

if TYPE_CHECKING:
    from pandas import DataFrame

LONGEST_CELL = 32_767
MOST_ROWS = 1_048_575
_MOST_UNPACKED = 512 * 1024 * 1024
_CUT = " … (cut: Excel holds 32,767 characters a cell)"


@table_files.register
class ExcelTable(TableFile):
    """Numbers are numbers, lists and objects JSON in their cells, texts that begin as a formula neutralised as in CSV.

    A text longer than a cell of Excel is cut, and says so at its end.
    """

    key = "xlsx"
    label = "Excel"
    content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    magic = b"PK\x03\x04"

    def write(self, frame: DataFrame) -> bytes:
        """Return the file. Raises ConfigError for more rows than a sheet holds."""
        from openpyxl import Workbook

        if len(frame) > MOST_ROWS:
            raise ConfigError(f"Excel holds {MOST_ROWS:,} rows, here are {len(frame):,}. Choose CSV or Parquet.")
        book = Workbook(write_only=True)
        sheet = book.create_sheet("Table")
        sheet.append([_written(str(name)) for name in frame.columns])
        for row in rows_of(frame):
            sheet.append([_written(value) for value in row])
        buffer = io.BytesIO()
        book.save(buffer)
        return buffer.getvalue()

    def read(self, data: bytes) -> DataFrame:
        """Return the first sheet: its first row is the header."""
        import pandas as pd

        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > _MOST_UNPACKED:
                raise ValueError("it unpacks to more than 512 MB")
        sheet = pd.read_excel(io.BytesIO(data), header=None, dtype=object, na_filter=False, engine="openpyxl")
        rows = [[_read(value) for value in row] for row in rows_of(sheet)]
        header = ["" if value is None else str(value) for value in rows[0]] if rows else []
        return pd.DataFrame(rows[1:], columns=header, dtype=object)


def _written(value: Any) -> Any:
    """Return a value as a cell takes it."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if value is None or isinstance(value, bool | int | float):
        return value
    text = ILLEGAL_CHARACTERS_RE.sub("", cell(value)).encode(errors="replace").decode()
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - len(_CUT)] + _CUT


def _read(value: Any) -> Any:
    """Return a cell as it was written: an empty one is None, a date its ISO form."""
    if isinstance(value, str):
        return restore(value) if value else None
    return value.isoformat() if isinstance(value, dt.date | dt.time) else value
