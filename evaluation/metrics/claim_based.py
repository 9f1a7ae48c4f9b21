"""What the metrics share that are read off the claim table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from evaluation.judge.claims.forms import PART_PROMPT
from evaluation.judge.claims.table import Claim, ClaimTable
from evaluation.judge.claims.tables import ClaimTables
from evaluation.metrics.base import POOLED, MetricContext
from evaluation.metrics.judged import JudgedMetric, judge_of
from evaluation.types import Sample, Score

ANSWERABLE = frozenset({"simple", "complex"})
NO_STATEMENT = "the answer makes no statement that could be checked"
NO_REFERENCE_STATEMENT = "the reference makes no statement that could be checked"

ALL_CLAIMS = "all claims of an answer or reference are checked, up to 400 (null beyond); it was the first 60 of them"
"""What a second revision brought to everything that is read off claims."""


class ClaimMetric(JudgedMetric):
    """A metric that reads each answer's claim table: write `read_table`. `claim_parts` are the parts that it needs."""

    needs: ClassVar[frozenset[str]] = frozenset({"question", "answer", "contexts", "judge"})
    judge_prompts: ClassVar[frozenset[str]] = frozenset({PART_PROMPT})
    revision = 2
    changes = ALL_CLAIMS

    async def ask(self, sample: Sample, context: MetricContext) -> ClaimTable:
        """Have the sample's table made, or wait for another metric that needed it."""
        return await table_of(sample, context, self.claim_parts)

    def read(self, sample: Sample, found: ClaimTable) -> Score:
        """Return the score of a table, or why it gives none."""
        problem = found.problem(self.claim_parts)
        if problem:
            return Score.unjudged(problem)
        score = self.read_table(found, sample)
        return replace(score, details=score.details | {"note": " ".join(found.notes)}) if found.notes else score

    @abstractmethod
    def read_table(self, table: ClaimTable, sample: Sample) -> Score:
        """Return the score that the table gives; all of `claim_parts` are in it."""


async def table_of(sample: Sample, context: MetricContext, parts: frozenset[str]) -> ClaimTable:
    """Return the claim table of a sample: of the whole scoring where there are such, else with `parts` alone."""
    tables = context.claims or ClaimTables(judge_of(context), parts)
    return await tables.of(sample, declined=context.refusals[0].refused)


def share_of(
    claims: Sequence[Claim], counts: Callable[[Claim], bool], words: str, nothing: str = NO_STATEMENT
) -> Score:
    """Return the share of `claims` that `counts` holds for; null, for the reason `nothing`, where there are none."""
    if not claims:
        return Score.unscored(nothing)
    return ratio(sum(map(counts, claims)), len(claims), words)


def ratio(found: int, total: int, words: str, **details: Any) -> Score:
    """Return `found` of `total` as a score; `words` says what was counted, such as “claims of the answer are …”."""
    return Score(found / total, f"{found} of {total} {words}", {POOLED: [found, total]} | details)
