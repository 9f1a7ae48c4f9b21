"""RAGAS: how far answer and reference state the same."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from evaluation.judge.claims.table import ANSWER_REFERENCE, REFERENCE_ANSWER, ClaimTable
from evaluation.metrics.base import metrics
from evaluation.metrics.claim_based import (
    ALL_CLAIMS,
    ALL_REFERENCES,
    ANSWERABLE,
    ANSWERS_AND_JUDGE,
    NO_REFERENCE_STATEMENT,
    NO_STATEMENT,
    ClaimMetric,
)
from evaluation.metrics.worked import WorkedExample, claims, verdicts
from evaluation.types import Sample, Score
from rag_pipeline.registry import UnitOptions


class FactualSimilarityOptions(UnitOptions):
    """Which of the three."""

    mode: Literal["f1", "precision", "recall"] = Field(
        "f1", title="Measure", description="Precision counts what is wrong, recall what is missing, F1 both."
    )


@metrics.register
class FactualSimilarity(ClaimMetric):
    """Precision, recall or F1 of the answer's claims against those of the reference, the best of several.

    An answer that states nothing misses all of the reference: recall and F1 are 0, precision is null.
    """

    key = "factual_similarity"
    label = "Factual similarity"
    known_as = {"RAGAS": ("FactualCorrectness",)}
    help = "How far answer and reference state the same: F1 (or precision, or recall) of their statements."
    group = "ragas"
    kinds = ANSWERABLE
    needs: ClassVar[frozenset[str]] = frozenset({"question", "reference", "judge"})
    claim_parts: ClassVar[frozenset[str]] = frozenset({ANSWER_REFERENCE, REFERENCE_ANSWER})
    formula = "TP / (TP + (FP + FN) / 2); TP, FP: claims of the answer (not) in the reference, FN: claims it misses"
    source = "RAGAS documentation (factual correctness); Min et al. 2023 (FActScore) for precision"
    changes = f"{ALL_REFERENCES}; {ANSWERS_AND_JUDGE}; {ALL_CLAIMS}"
    Options = FactualSimilarityOptions
    options: FactualSimilarityOptions
    worked = WorkedExample(
        question="Where and when was Einstein born?",
        answer="Einstein was born in Spain in 1879.",
        references=("Einstein was born in 1879 in Germany.",),
        judge=(
            claims("Einstein was born in Spain.", "Einstein was born in 1879."),
            claims("Einstein was born in 1879.", "Einstein was born in Germany."),
            verdicts("compare_claims", ("The answer says “in Germany”.", False), ("“in 1879”", True)),
            verdicts("compare_claims", ("“in 1879”", True), ("The answer says “in Spain”.", False)),
        ),
        value=0.5,
        working="TP: born in 1879. FP: born in Spain. FN: born in Germany. F1 = 1 / (1 + (1 + 1) / 2) = 0.5.",
    )

    def read_table(self, table: ClaimTable, sample: Sample) -> Score:
        """Return the measure that is asked for; `details` hold all three."""
        return factual_score(table, self.options.mode)


def factual_score(table: ClaimTable, mode: str = "f1") -> Score:
    """Return precision, recall or F1 of the claims of the answer; null where the reference states nothing."""
    if not table.reference:
        return Score.unscored(NO_REFERENCE_STATEMENT)
    right = sum(claim.in_other for claim in table.answer)
    wrong = len(table.answer) - right
    missing = sum(not claim.in_other for claim in table.reference)
    values: dict[str, float | None] = {
        "precision": right / len(table.answer) if table.answer else None,
        "recall": right / (right + missing) if right + missing else 1.0,
        # Equal to the harmonic mean of both, and defined also where the answer states nothing.
        "f1": right / (right + (wrong + missing) / 2) if right + wrong + missing else 1.0,
    }
    value = values[mode]
    if value is None:
        return Score.unscored(NO_STATEMENT)
    counts: dict[str, Any] = {"right": right, "wrong": wrong, "missing": missing}
    reason = f"{right} claims in both, {wrong} only in the answer, {missing} only in the reference"
    return Score(value, reason, counts | {name: each for name, each in values.items() if each is not None})
