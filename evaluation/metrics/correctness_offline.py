"""Correctness without a judge: how well the answer agrees with its reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from evaluation.metrics.base import Metric, MetricContext, metrics
from evaluation.metrics.language.scripts import script_barrier
from evaluation.metrics.overlap import NO_TOKENS, share, tokens_of
from evaluation.metrics.semantic_similarity import SemanticSimilarity
from evaluation.metrics.support.support import Support, SupportCase, support_of
from evaluation.metrics.support.weighting import SCHEME
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score

_SCHEME = replace(SCHEME, asked=0.1, weakest=0.0)
"""What the question says already is nearly no part of its answer; a reference is no list of claims to distrust."""
_MEANING = 0.3


@metrics.register
class CorrectnessOffline(Metric):
    """Support of the reference by the answer, with their closeness in meaning; the best reference counts.

    A refusal and an empty answer score 0. A reference without a word that counts (yes) falls back on token recall.
    """

    key = "correctness_offline"
    label = "Correctness (offline)"
    help = "How much of what the reference states, beyond the question, the answer states too."
    group = "agreement"
    kinds: ClassVar[frozenset[str]] = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    formula = (
        "0.7 support of the reference by the answer (as groundedness_offline, words of the question × 0.1) "
        "+ 0.3 max(0, cosine(answer, reference))"
    )
    source = "Ours: token recall (Adlakha et al. 2024) with weights, and semantic similarity (Risch et al. 2021)"
    worked = WorkedExample(
        question="Who wrote it?",
        answer="Mary Shelley",
        references=("Mary Shelley",),
        value=1.0,
        working="Both names of the reference stand in the answer: support 1. Same text: cosine 1. So 0.7 + 0.3.",
    )

    def score_block(self, samples: Sequence[Sample], context: MetricContext) -> list[Score]:
        """Score all samples; every distinct text of the block is embedded once for each of the two parts."""
        similar = SemanticSimilarity()
        cases = _comparable(samples, context)
        supports = support_of([_case(samples[place], reference) for place, reference in cases], context.embed, _SCHEME)
        alone = [replace(samples[place], reference_answers=(reference,)) for place, reference in cases]
        cosines = similar.score_block(alone, context.only([place for place, _ in cases]))
        best: dict[int, Score] = {}
        for (place, reference), support, cosine in zip(cases, supports, cosines, strict=True):
            score = _score(samples[place], reference, support, cosine)
            best[place] = max(best.get(place, score), score, key=lambda each: each.value or 0.0)
        return [best.get(place) or _without(sample, context, place) for place, sample in enumerate(samples)]


def _comparable(samples: Sequence[Sample], context: MetricContext) -> list[tuple[int, str]]:
    """Return (number of the sample, reference) of what an answer that does not decline can be compared with."""
    return [
        (place, reference)
        for place, sample in enumerate(samples)
        for reference in dict.fromkeys(sample.reference_answers)
        if tokens_of([reference]) and sample.trace.answer.strip() and not context.refusals[place].refused
    ]


def _case(sample: Sample, reference: str) -> SupportCase:
    return SupportCase(reference, (sample.trace.answer,), sample.trace.question)


def _score(sample: Sample, reference: str, support: Support | None, closeness: Score) -> Score:
    answer = sample.trace.answer
    barrier = script_barrier(answer, [reference])
    if barrier:
        return Score.unscored(barrier)
    cosine = closeness.value
    if cosine is None:
        return Score.unscored(closeness.reason)
    given = support.value if support else share(tokens_of([answer]), tokens_of([reference]))
    missing = [unit.text for sentence in support.sentences for unit in sentence.missing] if support else []
    reason = f"not in the answer: {', '.join(missing[:5])}" if missing else "the answer has all of the reference"
    details = {"reference": reference, "support": round(given, 4), "cosine": round(cosine, 4), "missing": missing}
    return Score((1 - _MEANING) * given + _MEANING * cosine, reason, details)


def _without(sample: Sample, context: MetricContext, place: int) -> Score:
    if not any(tokens_of([reference]) for reference in sample.reference_answers):
        return Score.unscored(NO_TOKENS)
    return Score(0.0, "the answer declines" if context.refusals[place].refused else "the answer is empty")
