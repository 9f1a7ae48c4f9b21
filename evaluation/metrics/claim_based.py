"""What the metrics share that are read off the claim table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from evaluation.judge.claims.forms import PART_PROMPT
from evaluation.judge.claims.table import Claim, ClaimTable
from evaluation.judge.claims.tables import ClaimTables
from evaluation.metrics.base import POOLED, Metric, MetricContext
from evaluation.types import Sample, Score

ANSWERABLE = frozenset({"simple", "complex"})
NO_STATEMENT = "the answer makes no statement that could be checked"
NO_REFERENCE_STATEMENT = "the reference makes no statement that could be checked"

ALL_CLAIMS = "all claims of an answer or reference are checked, up to 400 (null beyond); it was the first 60 of them"
"""What a second revision brought to everything that is read off claims."""


class ClaimMetric(Metric):
    """A metric that reads each answer's claim table: write `read`. `claim_parts` are the parts that it needs."""

    needs: ClassVar[frozenset[str]] = frozenset({"question", "answer", "contexts", "judge"})
    judge_prompts: ClassVar[frozenset[str]] = frozenset({PART_PROMPT})
    revision = 2
    changes = ALL_CLAIMS

    def score_block(self, samples: Sequence[Sample], context: MetricContext) -> list[Score]:
        """Have the block's tables made, or taken from another metric that needed them, and read them."""
        return [
            self._scored(sample, table)
            for sample, table in zip(samples, tables_of(samples, context, self.claim_parts), strict=True)
        ]

    def _scored(self, sample: Sample, table: ClaimTable) -> Score:
        problem = table.problem(self.claim_parts)
        if problem:
            return Score.unjudged(problem)
        score = self.read(table, sample)
        return replace(score, details=score.details | {"note": " ".join(table.notes)}) if table.notes else score

    @abstractmethod
    def read(self, table: ClaimTable, sample: Sample) -> Score:
        """Return the score that the table gives; all of `claim_parts` are in it."""


def tables_of(samples: Sequence[Sample], context: MetricContext, parts: frozenset[str]) -> list[ClaimTable]:
    """Return the claim tables of a block: those of the whole scoring where there are such, else with `parts` alone."""
    if context.claims is not None:
        tables = context.claims
    elif context.judge is not None:
        tables = ClaimTables(context.judge, parts)
    else:
        raise ValueError("claims need a judge: a metric that reads them must have “judge” in its needs")
    return tables.of(samples, [refusal.refused for refusal in context.refusals])


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
