"""eval.parquet: the table of eval.csv for programs that compute with columns."""

from __future__ import annotations

from evaluation.exchange.base import formats
from evaluation.exchange.formats.eval_csv import EvalTable


@formats.register
class EvalParquet(EvalTable):
    """The columns of eval.csv, lists as lists."""

    key = "eval_parquet"
    label = "eval.parquet"
    help = "eval.parquet, the same as Parquet"
    extensions = (".parquet",)
    content_type = "application/vnd.apache.parquet"
    filename = "eval.parquet"
    ending = ".parquet"
