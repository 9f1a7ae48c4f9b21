"""output.xlsx: the table of output.csv for Excel."""

from __future__ import annotations

from evaluation.exchange.base import formats
from evaluation.exchange.formats.output_csv import OutputTable


@formats.register
class OutputExcel(OutputTable):
    """The columns of output.csv, numbers as numbers. It is read wherever output.csv is."""

    key = "output_excel"
    label = "output.xlsx"
    help = "output.xlsx, the same as Excel"
    extensions = (".xlsx",)
    content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    filename = "output.xlsx"
    ending = ".xlsx"
