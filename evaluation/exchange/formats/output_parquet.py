"""output.parquet: the table of output.csv for programs that compute with columns."""

from __future__ import annotations

from evaluation.exchange.base import formats
from evaluation.exchange.formats.output_csv import OutputTable


@formats.register
class OutputParquet(OutputTable):
    """The columns of output.csv, lists as lists. It is read wherever output.csv is."""

    key = "output_parquet"
    label = "output.parquet"
    help = "output.parquet, the same as Parquet"
    extensions = (".parquet",)
    content_type = "application/vnd.apache.parquet"
    filename = "output.parquet"
    ending = ".parquet"
