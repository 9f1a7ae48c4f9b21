"""CSV: nothing in it that a spreadsheet would run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.exchange.csv_cells import CSV_TYPE, to_csv
from evaluation.exchange.table_files import TableFile, rows_of, table_files

if TYPE_CHECKING:
    from pandas import DataFrame


@table_files.register
class CsvTable(TableFile):
    """UTF-8; lists and objects are JSON in their cells, formulas are neutralised."""

    key = "csv"
    label = "CSV"
    content_type = CSV_TYPE

    def write(self, frame: DataFrame) -> bytes:
        """Return the file."""
        return to_csv([str(name) for name in frame.columns], rows_of(frame))
