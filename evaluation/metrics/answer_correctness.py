"""RAGAS: how right the answer is, by facts and by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from evaluation.judge.claims.forms import PART_PROMPT
from evaluation.judge.claims.table import ANSWER_REFERENCE, REFERENCE_ANSWER, ClaimTable
from evaluation.judge.claims.tables import distinct_references
from evaluation.metrics.base import UNREAD, MetricContext, metrics
from evaluation.metrics.claim_based import ALL_CLAIMS, ALL_REFERENCES, ANSWERABLE, ANSWERS_AND_JUDGE, best_of, table_of
from evaluation.metrics.factual_similarity import FactualSimilarity, factual_score
from evaluation.metrics.judged import JudgedMetric
from evaluation.types import Sample, Score
from rag_pipeline.registry import UnitOptions


class AnswerCorrectnessOptions(UnitOptions):
    """How both are weighed."""

    factual_weight: float = Field(0.75, ge=0, le=1, title="Weight of facts", description="Of the F1 of statements.")
    semantic_weight: float = Field(
        0.25, ge=0, le=1, title="Weight of meaning", description="Of the cosine of answer and reference."
    )
    threshold: float | None = Field(
        None, ge=0, le=1, title="Threshold", description="From it on an answer counts 1, below it 0; empty for none."
    )

    @model_validator(mode="after")
    def _one_counts(self) -> Self:
        if self.factual_weight + self.semantic_weight == 0:
            raise ValueError("One of the two weights must be above 0.")
        return self


@metrics.register
class AnswerCorrectness(JudgedMetric):
    """Weighted mean of the F1 of claims and of the cosine of answer and reference under the scoring embedding.

    Both against the same reference, the best of several; weights are shared out so that they add up to 1. An empty
    answer is 0.
    """

    key = "answer_correctness"
    label = "Answer correctness"
    known_as = {"RAGAS": ("AnswerCorrectness",)}
    help = "How right the answer is against the reference: statements in common (0.75) and closeness in meaning (0.25)."
    group = "ragas"
    is_agreement = True
    kinds = ANSWERABLE
    needs: ClassVar[frozenset[str]] = frozenset({"question", "reference", "judge"})
    claim_parts: ClassVar[frozenset[str]] = frozenset({ANSWER_REFERENCE, REFERENCE_ANSWER})
    formula = "0.75 · F1 of claims + 0.25 · max(0, cosine(answer, reference)); with a threshold 1 from it on, else 0"
    source = "RAGAS documentation (answer correctness)"
    judge_prompts: ClassVar[frozenset[str]] = frozenset({PART_PROMPT})
    revision = 3
    changes = f"{ALL_REFERENCES}; {ANSWERS_AND_JUDGE}; {ALL_CLAIMS}"
    Options = AnswerCorrectnessOptions
    options: AnswerCorrectnessOptions
    worked = replace(
        FactualSimilarity.worked,
        value=0.58,
        working="TP: born in 1879. FP: in Spain. FN: in Germany. F1 = 0.5; the cosine of answer and reference is 0.83 "
        "(all-MiniLM-L6-v2): 0.75 · 0.5 + 0.25 · 0.83 = 0.58.",
    )

    async def ask(self, sample: Sample, context: MetricContext) -> ClaimTable:
        """Have the claim table made."""
        return await table_of(sample, context, self.claim_parts)

    def read_block(self, samples: Sequence[Sample], found: Sequence[Any], context: MetricContext) -> list[Score]:
        """Embed all texts of the block at once."""
        scores = []
        for sample, table, cosines in zip(samples, found, _cosines(samples, context), strict=True):
            problem = table.problem(self.claim_parts)
            if not sample.trace.answer.strip():
                scores.append(Score.without_judge(0.0, "the answer is empty"))
            elif problem:
                scores.append(Score.unjudged(problem))
            else:
                by_reference = zip(table.by_reference, cosines, strict=True)
                scores.append(best_of([self._weighed(factual_score(each), cosine) for each, cosine in by_reference]))
        return scores

    def _weighed(self, factual: Score, cosine: float | None) -> Score:
        if factual.value is None:
            return factual
        options = self.options
        if cosine is None and options.semantic_weight:
            return Score.unscored(UNREAD)
        cosine = cosine or 0.0
        weights = options.factual_weight + options.semantic_weight
        value = (options.factual_weight * factual.value + options.semantic_weight * cosine) / weights
        reason = f"{factual.reason}; cosine {cosine:.2f}"
        details = {"factual": factual.value, "semantic": cosine} | factual.details
        if options.threshold is None:
            return Score(value, reason, details)
        return Score(float(value >= options.threshold), reason, details | {"before the threshold": value})


def _cosines(samples: Sequence[Sample], context: MetricContext) -> list[list[float | None]]:
    """Return the cosines of each answer and its references: 0 for opposite ones and for empty answers, None where the
    model cannot read them.
    """
    rows = [(sample.trace.answer.strip(), distinct_references(sample)) for sample in samples]
    found = context.cosines([[(answer, each) for each in references if answer] for answer, references in rows])
    return [
        [None if cosine is None else min(1.0, max(0.0, cosine)) for cosine in cosines] or [0.0] * len(references)
        for cosines, (_, references) in zip(found, rows, strict=True)
    ]
