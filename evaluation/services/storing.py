"""Scores as rows: a scoring becomes the run's current one together with its summaries."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from evaluation.models import Run, RunMetric, Scoring
from evaluation.scoring.comparability import formulas_in_force
from evaluation.scoring.scoring import ScoredSamples
from evaluation.spec import HEADLINE, EvaluationSpec

if TYPE_CHECKING:
    from evaluation.judge.judge import Judge


def new_scoring(*, run: Run, spec: EvaluationSpec, scored: ScoredSamples, judge: Judge | None = None) -> Scoring:
    """Store a scoring with its summaries as the run's current one; its scores of answers are up to the caller.

    Call it inside a transaction.
    """
    Run.objects.select_for_update().get(pk=run.pk)  # of two scorings at once the later is the current one
    Scoring.objects.filter(run=run, current=True).update(current=False)
    scoring = Scoring.objects.create(
        run=run,
        spec=spec.model_dump(mode="json"),
        prompts=judge.used_prompts if judge else {},
        judging=judge.usage if judge else {},
        formulas=formulas_in_force((*HEADLINE, spec.agreement, *spec.metrics)),
    )
    RunMetric.objects.bulk_create(
        [
            RunMetric(scoring=scoring, metric=metric, group=group, **asdict(summary))
            for (metric, group), summary in scored.summaries.items()
        ]
    )
    return scoring
