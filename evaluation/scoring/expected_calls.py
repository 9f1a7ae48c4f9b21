"""How many calls a judge will be asked for, before anything is asked."""

from __future__ import annotations

from math import ceil

from evaluation.judge.claims.table import (
    ANSWER_ATTRIBUTED,
    ANSWER_CONTEXTS,
    ANSWER_REFERENCE,
    REFERENCE_ANSWER,
    REFERENCE_ATTRIBUTED,
    REFERENCE_CONTEXTS,
)
from evaluation.judge.claims.tables import OF_ANSWER, OF_REFERENCE
from evaluation.metrics.base import metrics
from evaluation.spec import EvaluationSpec


def expected_calls(spec: EvaluationSpec, answers: int, contexts: int, references: float = 1) -> int:
    """Return about how many calls the judge of `spec` takes for `answers` with so many `contexts` each.

    `references`: how many each question has on average. As if every answer made statements, some of them supported, and
    nothing were known from earlier; refusals and the cache make it fewer, lists of many claims and replies of a wrong
    form more. 0 without a judge.
    """
    if not spec.judge:
        return 0
    asked = [metrics.get(name) for name in dict.fromkeys((*spec.metrics, spec.agreement))]
    judged = [metric for metric in asked if "judge" in metric.needs]
    parts = frozenset[str]().union(*(metric.claim_parts for metric in judged))
    calls = _for_claims(parts, contexts, references, spec)
    for metric in judged:
        if not metric.claim_parts:
            calls += (contexts if metric.asks_each_context else 1) * (spec.judge_votes if metric.voted else 1)
    return ceil(answers * calls)


def _for_claims(parts: frozenset[str], contexts: int, references: float, spec: EvaluationSpec) -> float:
    """Return the calls for one claim table: extractions are asked once, checks as often as there are votes."""
    extractions = bool(parts & OF_ANSWER) + bool(parts & OF_REFERENCE) * references
    checks = float(ANSWER_REFERENCE in parts) * references + (REFERENCE_ANSWER in parts)
    if contexts and parts & {ANSWER_CONTEXTS, REFERENCE_CONTEXTS}:
        portions = ceil(contexts / spec.judge_batch)
        checks += portions if portions == 1 else 2 * portions  # each is asked again about what it supports
    if contexts > 1 and parts & {ANSWER_ATTRIBUTED, REFERENCE_ATTRIBUTED}:
        checks += contexts
    return extractions + checks * spec.judge_votes
