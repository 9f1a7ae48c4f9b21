"""Scores over growing parts of a corpus as files: one row a part, the forecast last, and the same as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluation.exchange.csv_cells import to_csv
from evaluation.exchange.fields import json_file
from evaluation.experiments.growth import TIMES, Growth
from evaluation.services.growing import GrowthTable

_ENDS = ("", "_low", "_high", "_difference", "_difference_low", "_difference_high")


def growth_csv(table: GrowthTable) -> bytes:
    """Return a CSV file; what is not known is an empty cell. `difference`: to the whole, paired."""
    header = ["share", "chunks", "extrapolated", *(f"{name}{end}" for name in table.scores for end in _ENDS)]
    return to_csv(header, [list(row.values()) for row in _rows(table)])


def growth_json(table: GrowthTable) -> bytes:
    """Return the rows, and by score the reason why it was not extrapolated."""
    reasons = {name: each.forecast.reason for name, each in table.scores.items()}
    counts = {"questions": table.questions, "evidence_chunks": table.evidence, "seeds": table.seeds}
    return json_file(counts | {"rows": list(_rows(table)), "not_extrapolated": reasons})


def _rows(table: GrowthTable) -> Iterator[dict[str, Any]]:
    for at, part in enumerate(table.parts):
        row: dict[str, Any] = {"share": part.share, "chunks": part.chunks, "extrapolated": False}
        for name, each in table.scores.items():
            row |= dict(zip([f"{name}{end}" for end in _ENDS], _point(each, at), strict=True))
        yield row
    row = {"share": float(TIMES), "chunks": TIMES * table.parts[-1].chunks, "extrapolated": True}
    for name, each in table.scores.items():
        found = each.forecast.score
        cells = (found.mean, found.low, found.high) if found else (None,) * 3
        row |= dict(zip([f"{name}{end}" for end in _ENDS], (*cells, None, None, None), strict=True))
    yield row


def _point(each: Growth, at: int) -> tuple[float | None, ...]:
    score, change = each.points[at].score, each.points[at].difference
    changed = (change.mean, change.low, change.high) if change else (None,) * 3
    return (score.mean, score.low, score.high, *changed)
