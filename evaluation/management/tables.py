"""Scores as text, for terminals."""

from __future__ import annotations

from evaluation.models import Run, RunMetric
from evaluation.spec import HEADLINE


def score_table(run: Run) -> str:
    """Return the headline scores and the total of a run as aligned lines: mean, 95 % interval, n, reason if empty."""
    scoring = run.current_scoring
    rows = {row.metric: row for row in scoring.metrics.filter(group="")} if scoring else {}
    lines = [f"{'score':<20}{'mean':>7}   {'95 % interval':<15}{'n':>5}"]
    lines += [_line(name, rows.get(name)) for name in (*HEADLINE, "total")]
    return "\n".join(lines)


def _line(name: str, row: RunMetric | None) -> str:
    if row is None or row.mean is None:
        return f"{name:<20}{'—':>7}   {row.reason if row else 'not scored'}"
    interval = f"{row.ci_low:.2f} – {row.ci_high:.2f}" if row.ci_low is not None and row.ci_high is not None else ""
    return f"{name:<20}{row.mean:>7.2f}   {interval:<15}{row.n:>5}"
