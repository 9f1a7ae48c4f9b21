"""Runs as rows of tables and dots of charts."""

from __future__ import annotations

from evaluation.models import TestSet
from evaluation.queries.rows import RunRow
from rag_pipeline.models import Corpus


def run_rows(
    *,
    corpus: Corpus | None = None,
    testset: TestSet | None = None,
    agreement: str | None = None,
    chunk_unit: str | None = None,
    archived: bool = False,
) -> list[RunRow]:
    """Return runs, newest first, with settings, state and current scores. `archived` includes archived ones."""
    raise NotImplementedError
