"""A sweep as files: sweep.csv, one row a configuration, and sweep.json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluation.exchange.csv_cells import to_csv
from evaluation.exchange.fields import json_file
from evaluation.queries.sweep_table import SweepRow, SweepTable, table_json

_TAKES = ("context_tokens", "border_cut", "latency_p50", "cost_usd", "calls", "reused")
_VERDICT = ("difference", "difference_low", "difference_high", "p_holm", "verdict", "holdout_total")


def sweep_csv(table: SweepTable) -> bytes:
    """Return sweep.csv; what is not known is an empty cell."""
    scores = [f"{name}{end}" for name in table.scores for end in ("", "_low", "_high")]
    header = [*table.swept, "run", "state", "n", *scores, *_TAKES, *_VERDICT]
    return to_csv(header, (list(_cells(table, row)) for row in table.rows))


def sweep_json(table: SweepTable) -> bytes:
    """Return sweep.json: plan, settings, rows, recommendation."""
    return json_file(table_json(table) | {"rows": [row_json(table, row) for row in table.rows]})


def row_json(table: SweepTable, row: SweepRow) -> dict[str, Any]:
    """Return a configuration by the names of the columns of sweep.csv."""
    scores = [f"{name}{end}" for name in table.scores for end in ("", "_low", "_high")]
    names = [*table.swept, "run", "state", "n", *scores, *_TAKES, *_VERDICT]
    return dict(zip(names, _cells(table, row), strict=True)) | {"error": row.error}


def _cells(table: SweepTable, row: SweepRow) -> Iterator[Any]:
    for name in table.swept:
        yield row.configuration.swept[name]
    yield from (row.run.pk if row.run else None, row.state, row.n)
    for name in table.scores:
        found = row.metrics.get(name)
        yield from (found.mean, found.ci_low, found.ci_high) if found else (None, None, None)
    yield from (getattr(row, name) for name in _TAKES)
    verdict = row.verdict
    yield from (verdict.difference, verdict.low, verdict.high, verdict.p_holm) if verdict else (None,) * 4
    yield verdict.word if verdict else ""
    yield row.holdout_total
