"""Runs compared in one call, as a page does with the rows that it has read."""

from __future__ import annotations

from typing import Any

from evaluation.models import Run
from evaluation.queries import comparison
from evaluation.queries.rows import Comparison
from evaluation.queries.runs import rows_of


def compare_runs(*, a: Run, b: Run, **options: Any) -> Comparison:
    """Return what run b does otherwise than run a."""
    row_a, row_b = rows_of([a, b])
    return comparison.compare_runs(a=row_a, b=row_b, **options)
