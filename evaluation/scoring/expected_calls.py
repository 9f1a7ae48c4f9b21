"""How many calls a judge will be asked for, before anything is asked."""

from __future__ import annotations

from evaluation.judge.claims.table import ANSWER_CONTEXTS, ANSWER_REFERENCE, REFERENCE_ANSWER, REFERENCE_CONTEXTS
from evaluation.metrics.base import metrics
from evaluation.spec import EvaluationSpec

_OF_ANSWER, _OF_REFERENCE = {ANSWER_CONTEXTS, ANSWER_REFERENCE}, {REFERENCE_CONTEXTS, REFERENCE_ANSWER}


def expected_calls(spec: EvaluationSpec, answers: int, contexts: int) -> int:
    """Return about how many calls the judge of `spec` takes for `answers` with so many `contexts` each.

    As if every answer made statements and nothing were known from earlier; refusals and the cache make it fewer,
    lists of many claims and replies of a wrong form more. 0 without a judge.
    """
    if not spec.judge:
        return 0
    asked = [metrics.get(name) for name in dict.fromkeys((*spec.metrics, spec.agreement))]
    judged = [metric for metric in asked if "judge" in metric.needs]
    parts = frozenset[str]().union(*(metric.claim_parts for metric in judged))
    calls = _for_claims(parts, contexts, spec.judge_votes)
    for metric in judged:
        if not metric.claim_parts:
            calls += (contexts if metric.asks_each_context else 1) * (spec.judge_votes if metric.voted else 1)
    return answers * calls


def _for_claims(parts: frozenset[str], contexts: int, votes: int) -> int:
    """Return the calls for one claim table: extractions are asked once, checks as often as there are votes."""
    extractions = bool(parts & _OF_ANSWER) + bool(parts & _OF_REFERENCE)
    against_contexts = contexts + (contexts > 1) if parts & {ANSWER_CONTEXTS, REFERENCE_CONTEXTS} else 0
    against_texts = len(parts & {ANSWER_REFERENCE, REFERENCE_ANSWER})
    return extractions + (against_contexts + against_texts) * votes
