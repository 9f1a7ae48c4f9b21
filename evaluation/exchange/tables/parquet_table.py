"""Parquet: typed columns; lists stay lists."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evaluation.exchange.csv_cells import as_text
from evaluation.exchange.fields import storable
from evaluation.exchange.table_files import TableFile, rows_of, table_files

if TYPE_CHECKING:
    from pandas import DataFrame


@table_files.register
class ParquetTable(TableFile):
    """A column has the type of its values, that of text where they are of several; objects are JSON texts."""

    key = "parquet"
    label = "Parquet"
    content_type = "application/vnd.apache.parquet"
    magic = b"PAR1"

    def write(self, frame: DataFrame) -> bytes:
        """Return the file."""
        import pyarrow as pa
        from pyarrow import parquet

        columns = zip(*rows_of(frame), strict=True) if len(frame) else [()] * len(frame.columns)
        names = [str(name) for name in frame.columns]
        table = pa.Table.from_arrays([_array(column) for column in columns], names=names)
        buffer = io.BytesIO()
        parquet.write_table(table, buffer)
        return buffer.getvalue()

    def read(self, data: bytes) -> DataFrame:
        """Return the table."""
        import pandas as pd
        from pyarrow import parquet

        return pd.DataFrame(parquet.read_table(io.BytesIO(data)).to_pydict(), dtype=object)


def _array(values: Sequence[Any]) -> Any:
    """Return a column; what has no one type becomes text, as do objects, whose names differ from row to row."""
    import pyarrow as pa

    plain = [json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value for value in values]
    try:
        return pa.array([storable(value) for value in plain])
    except (pa.ArrowException, OverflowError, UnicodeError):
        return pa.array([None if value is None else storable(as_text(value)) for value in plain])
