"""Every worked example that is shown with a metric is what the metric gives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.metrics.base import Metric, MetricContext, make_metric, metrics
from evaluation.metrics.worked import WorkedExample
from evaluation.refusal.detection import RefusalDetector
from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal, Sample, Score
from rag_pipeline.services.indexes import open_embedder
from rag_pipeline.settings.core import DEFAULT_REFUSAL
from rag_pipeline.types import Context, Span, Trace, Usage
from tests.scripted_judge import ScriptedJudge

WITH_EXAMPLE = [metric for metric in metrics if metric.worked is not None and metric.worked.executed]


def sample_of(example: WorkedExample) -> Sample:
    contexts = tuple(
        Context(Span(-rank, 0, len(text)), f"c{rank}", text, 0.0, rank) for rank, text in enumerate(example.contexts, 1)
    )
    spans = [Span(1, start, end) for start, end in example.context_spans]
    contexts += tuple(
        Context(span, "document", example.document[span.start : span.end], 0.0, rank)
        for rank, span in enumerate(spans, 1)
    )
    evidence = tuple(Span(1, start, end) for start, end in example.evidence_spans)
    counted = {name: example.usage.get(name) for name in ("prompt_tokens", "completion_tokens")}
    trace = Trace(
        question=example.question,
        answer=example.answer,
        contexts=contexts,
        latency_s=example.usage.get("latency_s"),
        ttft_s=example.usage.get("ttft_s"),
        usage=Usage(
            *(None if value is None else int(value) for value in counted.values()), example.usage.get("cost_usd")
        ),
    )
    return Sample(
        question_id="q",
        pair_id="q",
        kind=example.kind,
        trace=trace,
        reference_answers=example.references,
        evidence=evidence,
        evidence_texts=tuple(example.document[span.start : span.end] for span in evidence),
        context_ids=example.context_ids,
        reference_context_ids=example.gold_ids,
        reference_contexts=example.reference_contexts,
        other_answer=example.other_answer,
    )


@pytest.fixture(scope="module")
def refusals() -> dict[str, Refusal]:
    """Return which of the answers decline: all at once, as the refusals that they are compared with are many."""
    spec = EvaluationSpec()
    answers = sorted({metric.worked.answer for metric in metrics if metric.worked is not None})
    detector = RefusalDetector(open_embedder(spec.eval_embedding).embed_passages, spec, DEFAULT_REFUSAL)
    return dict(zip(answers, detector.classify_many(answers), strict=True))


def score_of(example: WorkedExample, name: str, refusal: Refusal) -> Score:
    spec = EvaluationSpec.create({"metric_options": {name: dict(example.options)} if example.options else {}})
    embed = open_embedder(spec.eval_embedding).embed_passages
    context = MetricContext(spec, [refusal], embed, judge=ScriptedJudge(example.judge))
    sample = sample_of(example)
    agreement = make_metric(spec.agreement, spec).score_many([sample], context)
    return make_metric(name, spec).score_many([sample], replace(context, agreement=agreement))[0]


@pytest.mark.parametrize("metric", WITH_EXAMPLE, ids=lambda metric: metric.key)
def test_a_worked_example_is_what_the_metric_gives(metric: type[Metric], refusals: dict[str, Refusal]) -> None:
    example = metric.worked
    assert example is not None
    score = score_of(example, metric.key, refusals[example.answer])
    if example.value is None:
        assert score.value is None
    else:
        assert score.value == pytest.approx(example.value, abs=0.006), score.reason
    assert example.working


def test_every_metric_has_a_worked_example() -> None:
    assert [metric.key for metric in metrics if metric.worked is None] == []
