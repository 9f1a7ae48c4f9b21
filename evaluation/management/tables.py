"""Scores as text, for terminals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.metrics.base import POOLED
from evaluation.models import Run, RunMetric, TunedEmbedding
from evaluation.scoring.scales import scale_of
from evaluation.scoring.summaries import TOTAL
from evaluation.spec import HEADLINE


def score_table(run: Run) -> str:
    """Return the scores of a run as aligned lines: mean, 95 % interval, n, reason if empty; the five come first."""
    scoring = run.current_scoring
    rows = {row.metric: row for row in scoring.metrics.filter(group="")} if scoring else {}
    further = tuple(scoring.spec.get("metrics", ())) if scoring else ()
    cells: list[tuple[str, ...]] = [("score", "mean", "95 % interval", "n")]
    cells += [_cells(name, rows.get(name)) for name in (*HEADLINE, TOTAL, *further)]
    return "\n".join(_aligned(cells))


def _aligned(cells: Sequence[tuple[str, ...]]) -> Iterator[str]:
    first, second = (max(least, *(len(each[at]) for each in cells)) for at, least in ((0, 20), (1, 7)))
    third = max(len(each[2]) for each in cells if len(each) == 4)
    for name, mean, *others in cells:
        rest = f"{others[0]:<{third + 2}}{others[1]:>5}" if len(others) == 2 else others[0]
        yield f"{name:<{first}}{mean:>{second}}   {rest}"


def _cells(name: str, row: RunMetric | None) -> tuple[str, ...]:
    """Return name, mean, interval and n; or name, a dash and why there is no mean."""
    if row is None or row.mean is None:
        return name, "—", row.reason if row else "not scored"
    scale = scale_of(name)
    ends = [scale.text(end) for end in (row.ci_low, row.ci_high) if end is not None]
    interval = " – ".join(ends) if len(ends) == 2 else ""
    pooled = f"   {'/'.join(map(str, row.details[POOLED]))} pooled" if POOLED in row.details else ""
    return name, scale.text(row.mean), interval, f"{row.n:>5}{pooled}"


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
