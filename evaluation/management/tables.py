"""Scores as text, for terminals."""

from __future__ import annotations

from typing import Any

from evaluation.models import Run, RunMetric, TunedEmbedding
from evaluation.spec import HEADLINE


def score_table(run: Run) -> str:
    """Return the headline scores and the total of a run as aligned lines: mean, 95 % interval, n, reason if empty."""
    scoring = run.current_scoring
    rows = {row.metric: row for row in scoring.metrics.filter(group="")} if scoring else {}
    lines = [f"{'score':<20}{'mean':>7}   {'95 % interval':<15}{'n':>5}"]
    further = tuple(scoring.spec.get("metrics", ())) if scoring else ()
    lines += [_line(name, rows.get(name)) for name in (*HEADLINE, "total", *further)]
    return "\n".join(lines)


def _line(name: str, row: RunMetric | None) -> str:
    if row is None or row.mean is None:
        return f"{name:<20}{'—':>7}   {row.reason if row else 'not scored'}"
    interval = f"{row.ci_low:.2f} – {row.ci_high:.2f}" if row.ci_low is not None and row.ci_high is not None else ""
    return f"{name:<20}{row.mean:>7.2f}   {interval:<15}{row.n:>5}"


def tuning_table(tuned: TunedEmbedding) -> str:
    """Return what a tuned embedding learned from and how it compares with the untuned one on holdout."""
    figures = tuned.figures
    learned = figures["tuned_on"]
    lines = [
        f"{tuned.setting}: {learned['pairs']} pairs of the tune split, {learned['examples']} examples, "
        f"{learned['steps']} steps."
    ]
    measured = figures["measured"]
    if measured is None:
        return "\n".join([*lines, figures["reason"]])
    lines += [
        f"On holdout, {measured['questions']} questions of {measured['pairs']} pairs, {figures['chunks']} chunks:",
        f"{'':<12}{'before':>7}  {'95 % interval':<15}{'after':>7}  {'95 % interval':<15}{'change':>7}  95 % interval",
    ]
    for name, values in sorted(measured["metrics"].items()):  # PostgreSQL keeps no order
        change = values["difference"]
        sides = "".join(f"{_mean(values[side]):<24}" for side in ("before", "after"))
        between = f"{change['low']:+.2f} to {change['high']:+.2f}"
        lines.append(f"{name:<12}{sides}{change['mean']:>+7.2f}  {between}  {change['verdict']}")
    return "\n".join([*lines, figures["message"]])


def _mean(value: dict[str, Any]) -> str:
    return f"{value['mean']:>7.2f}  {value['low']:.2f} – {value['high']:.2f}"
