"""What the metrics share that are read off the claim table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from evaluation.judge.claims.forms import PART_PROMPT
from evaluation.judge.claims.table import (
    ANSWER_ATTRIBUTED,
    ANSWER_CONTEXTS,
    ANSWER_REFERENCE,
    REFERENCE_ANSWER,
    Claim,
    ClaimTable,
)
from evaluation.judge.claims.tables import ClaimTables
from evaluation.metrics.base import POOLED, REFUSALS_IN_LANGUAGES, MetricContext
from evaluation.metrics.judged import IN_ITS_LANGUAGE, JudgedMetric, judge_of
from evaluation.types import Sample, Score

ANSWERABLE = frozenset({"simple", "complex"})
NO_STATEMENT = "the answer makes no statement that could be checked"
NO_REFERENCE_STATEMENT = "the reference makes no statement that could be checked"

ALL_CLAIMS = "all claims of an answer or reference are checked, up to 400 (null beyond); it was the first 60 of them"
"""What a second revision brought to everything that is read off claims."""
ANSWERS_AND_JUDGE = f"{IN_ITS_LANGUAGE}; {REFUSALS_IN_LANGUAGES}"
ALL_REFERENCES = "the best of several references counts, it was the first"
ALL_CONTEXTS = "all contexts joined decide on a claim, it was supported where any single one or all of them did"
"""What a third one brought, with the language of the judge."""


class ClaimMetric(JudgedMetric):
    """A metric that reads each answer's claim table: write `read_table`. `claim_parts` are the parts that it needs."""

    needs: ClassVar[frozenset[str]] = frozenset({"question", "answer", "contexts", "judge"})
    judge_prompts: ClassVar[frozenset[str]] = frozenset({PART_PROMPT})
    revision = 3
    changes = f"{ALL_CONTEXTS}; {ALL_REFERENCES}; {ANSWERS_AND_JUDGE}; {ALL_CLAIMS}"
    cannot_see = "what its judge does not see; which claims matter: each counts the same"

    async def ask(self, sample: Sample, context: MetricContext) -> ClaimTable:
        """Have the sample's table made, or wait for another metric that needed it."""
        return await table_of(sample, context, self.claim_parts)

    def read(self, sample: Sample, found: ClaimTable) -> Score:
        """Return the score of a table, or why it gives none."""
        problem = found.problem(self.claim_parts)
        if problem:
            return Score.unjudged(problem)
        score = best_of([self.read_table(table, sample) for table in self.tables(found)], self.higher_is_better)
        return replace(score, details=score.details | {"note": " ".join(found.notes)}) if found.notes else score

    def tables(self, found: ClaimTable) -> Sequence[ClaimTable]:
        """Return the tables of which the best counts: against each reference, or the nearest one.

        Metrics that look the answer's claims up in a reference all take the nearest, so that their shares add up.
        """
        by_answer_alone = ANSWER_REFERENCE in self.claim_parts and REFERENCE_ANSWER not in self.claim_parts
        if by_answer_alone or self.claim_parts <= {ANSWER_CONTEXTS, ANSWER_ATTRIBUTED}:
            return (found.nearest,)
        return found.by_reference

    @abstractmethod
    def read_table(self, table: ClaimTable, sample: Sample) -> Score:
        """Return the score that the table gives; all of `claim_parts` are in it."""


def best_of(scores: Sequence[Score], higher_is_better: bool = True) -> Score:
    """Return the best of the scores by several references, the first of equal ones; null where none has a value."""
    scored = [(score.value, score) for score in scores if score.value is not None]
    if not scored:
        return scores[0]
    choose = max if higher_is_better else min
    best = choose(scored, key=lambda each: each[0])[1]
    if len(scores) == 1:
        return best
    return replace(best, reason=f"{best.reason}; by the best of {len(scores)} references")


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
