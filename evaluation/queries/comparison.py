"""Two runs beside each other: what differs, by how much, and which questions were won and lost."""

from __future__ import annotations

from evaluation.models import Run
from evaluation.queries.rows import Comparison, ScoreCard


def score_cards(*, run: Run, previous: Run | None = None, preferred: Run | None = None) -> list[ScoreCard]:
    """Return the five scores and the total of a run, each with its difference to two other runs."""
    raise NotImplementedError


def compare_runs(*, a: Run, b: Run, threshold: float = 0.1, limit: int = 50) -> Comparison:
    """Return what run b does otherwise than run a. At most `limit` won and lost questions each."""
    raise NotImplementedError
