"""Scoring stored answers: again and again, each time another `Scoring`; the pipeline is asked nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from django.db import transaction

from evaluation.models import CLAIMS, FAILURE_POINT, REFUSED, Answer, MetricScore, Run, Scoring
from evaluation.queries.stored_answers import make_samples, stored_answers
from evaluation.scoring.diagnosis.points import Diagnosis
from evaluation.scoring.scoring import ScoredSamples, Steps, finished, score_samples
from evaluation.services.diagnosing import diagnose_run
from evaluation.services.files import write_scored
from evaluation.services.judging import open_judge
from evaluation.services.storing import new_scoring
from evaluation.services.took import store_what_answers_took
from evaluation.spec import HEADLINE, EvaluationSpec
from evaluation.types import Refusal, Score
from rag_pipeline.errors import ProviderError
from rag_pipeline.services.indexes import open_embedder
from rag_pipeline.settings.core import DEFAULT_REFUSAL

if TYPE_CHECKING:
    from evaluation.judge.judge import Judge

_BATCH = 500


def score_run_in_steps(*, run: Run, spec: EvaluationSpec) -> Steps[Scoring]:
    """Score a run's answers, keep the result as its current scoring and write eval.csv; yields progress.

    Until its end everything stored stays as it is. Raises ProviderError. When the judge fails in a run's first scoring,
    what needs none is kept, and only then ProviderError raised; later ones leave the earlier scoring as it is.
    """
    answers = stored_answers(run=run)
    judge = open_judge(spec, lenient=not run.scorings.exists())
    scored = yield from _score(run, answers, spec, (*HEADLINE, *spec.metrics), judge)
    failures = diagnose_run(run=run, answers=answers, scored=scored, spec=spec)
    rows = _score_rows(answers, scored, failures)
    scoring = _store(run, spec, scored, rows, judge)
    store_what_answers_took(run=run)
    write_scored(run=run, answers=answers, rows=rows, metrics=spec.metrics)
    if judge and judge.failure:
        raise ProviderError(
            f"The judge failed: what it has not judged has no score yet, all other scores are there. {judge.failure}"
        )
    return scoring


def _store(
    run: Run, spec: EvaluationSpec, scored: ScoredSamples, rows: Sequence[MetricScore], judge: Judge | None
) -> Scoring:
    """Keep scores as the run's current scoring."""
    with transaction.atomic():
        scoring = new_scoring(run=run, spec=spec, scored=scored, judge=judge)
        for row in rows:
            row.scoring = scoring
        MetricScore.objects.bulk_create(rows, batch_size=_BATCH)
    return scoring


def preview_scores(*, run: Run, spec: EvaluationSpec) -> ScoredSamples:
    """Score a run's answers and store nothing: what another refusal threshold would change. Raises ProviderError."""
    return finished(_score(run, stored_answers(run=run), spec, HEADLINE, open_judge(spec)))


def _score(
    run: Run, answers: Sequence[Answer], spec: EvaluationSpec, names: Sequence[str], judge: Judge | None
) -> Steps[ScoredSamples]:
    embedder = open_embedder(spec.eval_embedding)
    return score_samples(
        make_samples(run=run, answers=answers),
        spec,
        run.pipeline.get("refusal", DEFAULT_REFUSAL),
        embedder.embed_passages,
        use_context=run.pipeline.get("use_context", True),
        names=names,
        judge=judge,
        reads=embedder.reads,
    )


def _score_rows(answers: Sequence[Answer], scored: ScoredSamples, failures: Sequence[Diagnosis]) -> list[MetricScore]:
    """Return a row for each metric and answer, then those that hold refusals, claim tables and failure points."""
    columns: dict[str, Sequence[Score | None]] = {
        **scored.scores,
        REFUSED: list(map(_refusal_score, answers, scored.refusals)),
        CLAIMS: [Score(len(table.answer), "", table.as_details()) if table else None for table in scored.claims],
        FAILURE_POINT: [Score(failure.point, failure.reason, failure.details) for failure in failures],
    }
    return _rows_of(answers, columns)


def _rows_of(answers: Sequence[Answer], columns: Mapping[str, Sequence[Score | None]]) -> list[MetricScore]:
    return [
        MetricScore(
            answer=answer,
            metric=metric,
            value=score.value,
            reason=score.reason,
            details=score.details,
        )
        for metric, column in columns.items()
        for answer, score in zip(answers, column, strict=True)
        if score is not None
    ]


def _refusal_score(answer: Answer, refusal: Refusal) -> Score:
    if answer.error:
        return Score(None, f"the question failed: {answer.error}")
    similarity = None if refusal.similarity is None else float(refusal.similarity)
    return Score(float(refusal.refused), "", asdict(refusal) | {"similarity": similarity})
