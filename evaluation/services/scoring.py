"""Scoring stored answers: again and again, each time another `Scoring`; the pipeline is asked nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction

from evaluation.judge.claims.table import ClaimTable
from evaluation.judge.judge import Judge
from evaluation.models import Answer, Evidence, MetricScore, Run, RunMetric, Scoring
from evaluation.repeats import repeats_of
from evaluation.scoring.comparability import formulas_in_force
from evaluation.scoring.diagnosis.points import Diagnosis
from evaluation.scoring.scoring import ScoredSamples, Steps, finished, score_samples
from evaluation.services.diagnosing import FAILURE_POINT, diagnose_run
from evaluation.services.files import write_run_file
from evaluation.services.judging import open_judge
from evaluation.spec import HEADLINE, EvaluationSpec
from evaluation.types import Refusal, Sample
from rag_pipeline.errors import ProviderError
from rag_pipeline.models import Document
from rag_pipeline.services.indexes import open_embedder
from rag_pipeline.settings.core import DEFAULT_REFUSAL
from rag_pipeline.types import Context, Span, Trace, Usage

REFUSED = "refused"
"""Name under which an answer's refusal is stored beside its scores: 1 or 0, the rule in `details`."""

CLAIMS = "claims"
"""Name under which an answer's claim table is stored beside its scores: the number of its claims, the table in
`details`. Once for all metrics that read it."""

_BATCH = 500


def score_run(*, run: Run, spec: EvaluationSpec) -> Scoring:
    """Score a run's answers, keep the result as its current scoring and write eval.csv. Raises ProviderError."""
    return finished(score_run_in_steps(run=run, spec=spec))


def score_run_in_steps(*, run: Run, spec: EvaluationSpec) -> Steps[Scoring]:
    """Do `score_run`, yielding progress; until its end everything stored stays as it is. Raises ProviderError.

    When the judge fails in a run's first scoring, what needs none is kept, and only then ProviderError raised; later
    ones leave the earlier scoring as it is.
    """
    answers = stored_answers(run=run)
    judge = open_judge(spec, lenient=not run.scorings.exists())
    scored = yield from _score(run, answers, spec, (*HEADLINE, *spec.metrics), judge)
    failures = diagnose_run(run=run, answers=answers, scored=scored, spec=spec)
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)  # of two scorings at once the later is the current one
        Scoring.objects.filter(run=run, current=True).update(current=False)
        scoring = Scoring.objects.create(
            run=run,
            spec=spec.model_dump(mode="json"),
            prompts=judge.used_prompts if judge else {},
            judging=judge.usage if judge else {},
            formulas=formulas_in_force((*HEADLINE, spec.agreement, *spec.metrics)),
        )
        MetricScore.objects.bulk_create(_score_rows(scoring, answers, scored), batch_size=_BATCH)
        MetricScore.objects.bulk_create(_failure_rows(scoring, answers, failures), batch_size=_BATCH)
        RunMetric.objects.bulk_create(_summary_rows(scoring, scored), batch_size=_BATCH)
    write_run_file(run=run)
    if judge and judge.failure:
        raise ProviderError(
            f"The judge failed: what it has not judged has no score yet, all other scores are there. {judge.failure}"
        )
    return scoring


def preview_scores(*, run: Run, spec: EvaluationSpec) -> ScoredSamples:
    """Score a run's answers and store nothing: what another refusal threshold would change. Raises ProviderError."""
    return finished(_score(run, stored_answers(run=run), spec, HEADLINE, open_judge(spec)))


def samples_of(*, run: Run) -> list[Sample]:
    """Return a run's answers with their gold truth, in the order of `stored_answers`."""
    return make_samples(run=run, answers=stored_answers(run=run))


def stored_answers(*, run: Run) -> list[Answer]:
    """Return a run's answers with question and evidence loaded, in the order of the test set."""
    return list(
        Answer.objects.filter(run=run)
        .select_related("question")
        .prefetch_related("question__evidence")
        .order_by("question__position", "question_id", "repeat")
    )


def make_samples(*, run: Run, answers: Sequence[Answer]) -> list[Sample]:
    """Return answers as the metrics see them; context texts are cut from their documents."""
    texts = texts_for(answers)
    top_k = run.pipeline.get("top_k")
    return [replace(_sample(answer, texts), ranks_asked=int(top_k) if top_k else None) for answer in answers]


def texts_for(answers: Iterable[Answer]) -> dict[int, str]:
    """Return the text of every document that the answers' contexts and evidence point into, by id, in one query."""
    wanted: set[int] = set()
    for answer in answers:
        wanted.update(context["document_id"] for context in answer.contexts)
        wanted.update(evidence.document_id for evidence in answer.question.evidence.all())
    return dict(Document.objects.filter(pk__in=wanted).values_list("pk", "text"))


def trace_of(answer: Answer, texts: dict[int, str]) -> Trace:
    """Return a stored answer as the pipeline's trace."""
    return Trace(
        question=answer.question.text,
        answer=answer.text,
        contexts=tuple(context_of(context, texts) for context in answer.contexts),
        prompt=answer.prompt,
        latency_s=answer.latency_s,
        ttft_s=answer.ttft_s,
        usage=Usage(answer.prompt_tokens, answer.completion_tokens, answer.cost_usd),
        error=answer.error,
        details=answer.details,
    )


def context_of(stored: dict[str, Any], texts: dict[int, str]) -> Context:
    """Return a stored context with its text."""
    span = Span(stored["document_id"], stored["start"], stored["end"])
    text = texts.get(span.document_id, "")[span.start : span.end]
    return Context(span, stored["document"], text, stored["score"], stored["rank"], stored.get("page"))


def evidence_span(evidence: Evidence) -> Span:
    """Return a stored evidence as a span."""
    return Span(evidence.document_id, evidence.start, evidence.end)


def _sample(answer: Answer, texts: dict[int, str]) -> Sample:
    question = answer.question
    trace = trace_of(answer, texts)
    spans = tuple(evidence_span(evidence) for evidence in question.evidence.all())
    evidence_texts = tuple(texts[span.document_id][span.start : span.end] for span in spans)
    retrieved = [context.span for context in trace.contexts]
    return Sample(
        question_id=question.question_id,
        pair_id=question.pair_id,
        kind=question.kind,
        trace=trace,
        reference_answers=tuple(question.reference_answers),
        evidence=spans,
        evidence_texts=evidence_texts,
        equivalents=repeats_of(spans, evidence_texts, retrieved, texts),
        transformation=question.transformation,
        error=question.error,
        repeat=answer.repeat,
        metadata=question.metadata,
    )


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


def _score_rows(scoring: Scoring, answers: Sequence[Answer], scored: ScoredSamples) -> list[MetricScore]:
    rows = [
        MetricScore(
            scoring=scoring,
            answer=answer,
            metric=metric,
            value=score.value,
            reason=score.reason,
            details=score.details,
        )
        for metric, column in scored.scores.items()
        for answer, score in zip(answers, column, strict=True)
    ]
    rows += [_refusal_row(scoring, answer, refusal) for answer, refusal in zip(answers, scored.refusals, strict=True)]
    return rows + [
        _claims_row(scoring, answer, table) for answer, table in zip(answers, scored.claims, strict=True) if table
    ]


def _claims_row(scoring: Scoring, answer: Answer, table: ClaimTable) -> MetricScore:
    return MetricScore(
        scoring=scoring, answer=answer, metric=CLAIMS, value=len(table.answer), details=table.as_details()
    )


def _refusal_row(scoring: Scoring, answer: Answer, refusal: Refusal) -> MetricScore:
    row = MetricScore(scoring=scoring, answer=answer, metric=REFUSED)
    if answer.error:
        row.reason = f"the question failed: {answer.error}"
        return row
    row.value = float(refusal.refused)
    row.details = {
        "label": refusal.label,
        "rule": refusal.rule,
        "detail": refusal.detail,
        "similarity": None if refusal.similarity is None else float(refusal.similarity),
    }
    return row


def _failure_rows(scoring: Scoring, answers: Sequence[Answer], failures: Sequence[Diagnosis]) -> list[MetricScore]:
    return [
        MetricScore(
            scoring=scoring,
            answer=answer,
            metric=FAILURE_POINT,
            value=failure.point,
            reason=failure.reason,
            details=failure.details,
        )
        for answer, failure in zip(answers, failures, strict=True)
    ]


def _summary_rows(scoring: Scoring, scored: ScoredSamples) -> list[RunMetric]:
    return [
        RunMetric(
            scoring=scoring,
            metric=metric,
            group=group,
            mean=summary.mean,
            ci_low=summary.ci_low,
            ci_high=summary.ci_high,
            n=summary.n,
            n_null=summary.n_null,
            reason=summary.reason,
            details=summary.details,
        )
        for (metric, group), summary in scored.summaries.items()
    ]
