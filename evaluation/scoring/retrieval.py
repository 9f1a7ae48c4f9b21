"""Scores of what was retrieved, where nothing was answered: no embedding, no refusals, no judge."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.base import MetricContext, make_metric
from evaluation.scoring.scoring import ScoredSamples
from evaluation.scoring.summaries import summarise
from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal, Sample
from rag_pipeline.embedders.base import Vectors

BY_EVIDENCE = "context_matching"


def score_retrieval(samples: Sequence[Sample], spec: EvaluationSpec) -> ScoredSamples:
    """Score what was retrieved by the evidence that it holds, and by the further metrics of `spec`."""
    unasked = [Refusal("empty")] * len(samples)
    context = MetricContext(spec, unasked, _embed_nothing)
    scores = {
        name: make_metric(name, spec).score_many(samples, context)
        for name in dict.fromkeys((BY_EVIDENCE, *spec.metrics))
    }
    return ScoredSamples(samples, unasked, scores, summarise(samples, scores, spec), [None] * len(samples))


def _embed_nothing(texts: Sequence[str]) -> Vectors:
    raise ValueError("the metrics of retrieval embed nothing")
