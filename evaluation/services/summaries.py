"""A run as one JSON object: settings, scores with intervals, parts."""

from __future__ import annotations

from typing import Any

from evaluation.metrics.base import POOLED
from evaluation.models import Run, RunMetric
from evaluation.queries.run_groups import metadata_keys, scores_by
from evaluation.queries.runs import summary_of
from evaluation.scoring.answered import mean_of
from evaluation.services.judge_checks import latest_judge_check


def run_summary(*, run: Run) -> dict[str, Any]:
    """Return what `evaluate --json` writes; numbers that could not be computed are null with a reason."""
    scoring = run.current_scoring
    rows = list(scoring.metrics.order_by("id")) if scoring else []
    return {
        "run": run.pk,
        "name": run.name,
        "corpus": run.corpus.name,
        "testset": {"name": run.testset.name, "version": run.testset.version},
        "pipeline": run.pipeline,
        "evaluation": scoring.spec if scoring else run.evaluation,
        "formulas": scoring.formulas if scoring else {},
        "questions": run.answers.count(),
        "failed": run.answers.exclude(error="").count(),
        "chunks": run.chunks,
        "contexts_from": run.contexts_origin or None,
        "judge": run_judge(run=run),
        "metrics": {row.metric: _summary(row) for row in rows if not row.group},
        "groups": _groups(rows),
        "by_metadata": {key: _by_metadata(run, key, rows) for key in metadata_keys(run)} if rows else {},
        "notes": run.notes,
        "versions": run.versions,
    }


def run_judge(*, run: Run) -> dict[str, Any] | None:
    """Return who judged a run, what that took and the prompts; None where nobody was asked."""
    scoring = run.current_scoring
    if scoring is None or not scoring.judging:
        return None
    return {
        "model": scoring.spec["judge"],
        "votes": scoring.spec["judge_votes"],
        "under_test": scoring.spec["judge"] == run.pipeline.get("llm"),
        **scoring.judging,
        "check": check.found if (check := latest_judge_check(scoring.spec)) else None,
        "prompts": scoring.prompts,
    }


def _summary(row: RunMetric) -> dict[str, Any]:
    summary = mean_of(summary_of(row))
    if row.reason:
        summary["reason"] = row.reason
    if POOLED in row.details:
        summary[POOLED] = row.details[POOLED]
    return summary


def _by_metadata(run: Run, key: str, rows: list[RunMetric]) -> dict[str, Any]:
    """Return the means by the values of a key of the questions' metadata, as summary.json of `score` has them."""
    table = scores_by(run, key, [row.metric for row in rows if not row.group])
    return {
        group.value: {"rows": group.rows, "metrics": {name: mean_of(each) for name, each in group.means.items()}}
        for group in table.rows
    }


def _groups(rows: list[RunMetric]) -> dict[str, dict[str, Any]]:
    groups: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row.group:
            groups.setdefault(row.metric, {})[row.group] = _summary(row)
    return groups
