"""RAGAS and RAGChecker: how often the answer takes something wrong from the contexts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field

from evaluation.judge.claims.table import (
    ANSWER_ATTRIBUTED,
    ANSWER_CONTEXTS,
    ANSWER_REFERENCE,
    REFERENCE_ATTRIBUTED,
    REFERENCE_CONTEXTS,
    Claim,
    ClaimTable,
)
from evaluation.metrics.base import metrics
from evaluation.metrics.claim_based import (
    ALL_CLAIMS,
    ALL_CONTEXTS,
    ALL_REFERENCES,
    ANSWERABLE,
    ANSWERS_AND_JUDGE,
    NO_REFERENCE_STATEMENT,
    ClaimMetric,
    share_of,
)
from evaluation.metrics.worked import WorkedExample, claims, verdicts
from evaluation.types import Sample, Score
from rag_pipeline.registry import UnitOptions


class NoiseSensitivityOptions(UnitOptions):
    """Whose noise counts."""

    focus: Literal["relevant", "irrelevant"] = Field(
        "relevant",
        title="Noise of",
        description="Contexts that hold a statement of the reference (relevant), or those that hold none (irrelevant).",
    )


@metrics.register
class NoiseSensitivity(ClaimMetric):
    """Share of the answer's claims that are wrong (not in the reference) and were taken from the contexts.

    `relevant` contexts support a claim of the reference by themselves. A wrong claim counts for them where one of them
    supports it, else for the irrelevant ones; one that only all contexts joined support counts for the relevant ones
    where there are any. So precision of claims, both noises and hallucination add up to 1. Of several references the
    one that states most of the answer counts; null where none states anything, as then no context can be relevant.
    """

    key = "noise_sensitivity"
    label = "Noise sensitivity"
    known_as = {"RAGAS": ("NoiseSensitivity",)}
    help = "Share of the answer's statements that are wrong and come from the contexts. Lower is better."
    group = "ragas"
    kinds = ANSWERABLE
    needs: ClassVar[frozenset[str]] = ClaimMetric.needs | {"reference"}
    claim_parts: ClassVar[frozenset[str]] = frozenset(
        {ANSWER_CONTEXTS, ANSWER_ATTRIBUTED, ANSWER_REFERENCE, REFERENCE_CONTEXTS, REFERENCE_ATTRIBUTED}
    )
    higher_is_better = False
    pooled = True
    formula = "claims of the answer not in the reference but supported by (ir)relevant contexts / claims of the answer"
    source = "RAGChecker (Ru et al. 2024); RAGAS documentation"
    changes = (
        f"{ALL_CONTEXTS}; {ALL_REFERENCES}; null where no reference states anything; {ANSWERS_AND_JUDGE}; {ALL_CLAIMS}"
    )
    Options = NoiseSensitivityOptions
    options: NoiseSensitivityOptions
    worked = WorkedExample(
        question="What is the Life Insurance Corporation of India (LIC) known for?",
        answer="LIC is the largest insurance company in India, known for its vast portfolio of investments. It "
        "contributes to the financial stability of the country.",
        references=(
            "LIC is the largest insurance company in India. It is known for a large portfolio of investments.",
        ),
        contexts=(
            "LIC is the largest insurance company in India, with huge investments. It manages substantial funds, "
            "contributing to the financial stability of the country.",
        ),
        judge=(
            claims(
                "LIC is the largest insurance company in India.",
                "LIC is known for its vast portfolio of investments.",
                "LIC contributes to the financial stability of India.",
            ),
            claims(
                "LIC is the largest insurance company in India.", "LIC is known for a large portfolio of investments."
            ),
            verdicts("check_claims", *[("The text says so.", True)] * 4),
            verdicts(
                "compare_claims",
                ("“the largest”", True),
                ("“a large portfolio”", True),
                ("Stability is not mentioned.", False),
            ),
        ),
        value=1 / 3,
        working="Of three claims of the answer one, on stability, is not in the reference; the context that supports "
        "it is relevant, for it supports claims of the reference: 1/3.",
    )

    def tables(self, found: ClaimTable) -> Sequence[ClaimTable]:
        """Return the nearest reference of those that state anything."""
        stating = [table for table in found.by_reference if table.reference]
        return [replace(stating[0], alternatives=tuple(stating[1:])).nearest] if stating else [found]

    def read_table(self, table: ClaimTable, sample: Sample) -> Score:
        """Return wrong claims from the contexts in focus over all claims."""
        if not table.reference:
            return Score.unscored(NO_REFERENCE_STATEMENT)
        relevant, in_focus = table.relevant_contexts, self.options.focus == "relevant"
        words = f"claims of the answer are not in the reference and come from {self.options.focus} contexts"

        def misled(claim: Claim) -> bool:
            return claim.supported and not claim.in_other and _from_relevant(claim, relevant) == in_focus

        return share_of(table.answer, misled, words)


def _from_relevant(claim: Claim, relevant: tuple[bool, ...]) -> bool:
    """Return whether a supported claim comes from relevant contexts."""
    if not claim.supported_alone:
        return any(relevant)
    return any(verdict.supported and counts for verdict, counts in zip(claim.contexts, relevant, strict=True))
