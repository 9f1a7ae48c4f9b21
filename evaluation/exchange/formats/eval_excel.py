"""eval.xlsx: the table of eval.csv for Excel."""

from __future__ import annotations

from evaluation.exchange.base import formats
from evaluation.exchange.formats.eval_csv import EvalTable


@formats.register
class EvalExcel(EvalTable):
    """The columns of eval.csv, numbers as numbers."""

    key = "eval_excel"
    label = "eval.xlsx"
    help = "eval.xlsx, the same as Excel"
    extensions = (".xlsx",)
    content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    filename = "eval.xlsx"
    ending = ".xlsx"
