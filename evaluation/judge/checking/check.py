"""The check of a judge: verdicts on shipped claims, asked with the contexts in both orders, against marks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from evaluation.judge.claims.forms import check_against_text
from evaluation.judge.claims.support import BETWEEN, Verdicts, verdicts_on
from evaluation.judge.judge import Judge, Unjudged
from evaluation.statistics.intervals import wilson
from rag_pipeline.llm.loop_thread import gather_blocking


@dataclass(frozen=True, slots=True)
class MarkedCase:
    """Contexts with claims that people marked: whether the contexts, read together, support each."""

    contexts: tuple[str, ...]
    claims: dict[str, bool]


@dataclass(frozen=True, slots=True)
class JudgeCheckResult:
    """What a check found. Shares are None where no verdict could be used.

    `agreement`: share of verdicts that are as marked, with its 95 % interval (Wilson); `false_yes` of the claims marked
    unsupported, `false_no` of those marked supported. `flip_rate`: share of claims with another verdict where the
    contexts stand in reverse order. `unusable`: replies that were repaired, asked for anew or given up, of `calls`;
    `unjudged`: claims without a verdict in one order or both.
    """

    claims: int
    verdicts: int
    agreement: float | None
    agreement_low: float | None
    agreement_high: float | None
    false_yes: float | None
    false_no: float | None
    flip_rate: float | None
    unjudged: int
    unusable: int
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None

    def as_json(self) -> dict[str, Any]:
        """Return the figures by name."""
        return asdict(self)


@cache
def marked_cases() -> tuple[MarkedCase, ...]:
    """Return the shipped cases."""
    text = files("evaluation.judge.checking").joinpath("marked_claims.jsonl").read_text(encoding="utf-8")
    found = [json.loads(line) for line in text.splitlines()]
    return tuple(MarkedCase(tuple(each["contexts"]), dict(each["claims"])) for each in found)


def check_judge_on_marks(judge: Judge, cases: Sequence[MarkedCase] | None = None) -> JudgeCheckResult:
    """Ask a judge about marked claims, all at once. Raises ProviderError where it cannot be asked."""
    cases = marked_cases() if cases is None else cases
    asked = [(case, contexts) for case in cases for contexts in (case.contexts, case.contexts[::-1])]
    replies = gather_blocking([_verdicts(judge, case, contexts) for case, contexts in asked])
    found = [{} if isinstance(reply, Unjudged) else reply for reply in replies]
    needed = judge.votes * sum(-(-len(case.claims) // judge.batch) for case, _ in asked)
    return _result(cases, found[::2], found[1::2], judge.usage, needed)


async def _verdicts(judge: Judge, case: MarkedCase, contexts: Sequence[str]) -> Verdicts | Unjudged:
    text = BETWEEN.join(contexts)
    return await verdicts_on(judge, list(case.claims), lambda claims: check_against_text(claims, text))


def _result(
    cases: Sequence[MarkedCase],
    forwards: Sequence[Verdicts],
    backwards: Sequence[Verdicts],
    usage: dict[str, Any],
    needed: int,
) -> JudgeCheckResult:
    right: dict[bool, list[bool]] = {True: [], False: []}
    flips: list[bool] = []
    for case, forward, backward in zip(cases, forwards, backwards, strict=True):
        for claim, marked in case.claims.items():
            given = [verdicts[claim].supported for verdicts in (forward, backward) if claim in verdicts]
            right[marked] += [verdict == marked for verdict in given]
            flips += [given[0] != given[1]] if len(given) == 2 else []
    all_right = right[True] + right[False]
    low, high = wilson(sum(all_right), len(all_right)) if all_right else (None, None)
    claims = sum(len(case.claims) for case in cases)
    return JudgeCheckResult(
        claims=claims,
        verdicts=len(all_right),
        agreement=_share(all_right),
        agreement_low=low,
        agreement_high=high,
        false_yes=_share([not each for each in right[False]]),
        false_no=_share([not each for each in right[True]]),
        flip_rate=_share(flips),
        unjudged=claims - len(flips),
        unusable=max(0, usage["calls"] - needed + usage["unjudged"]),
        calls=usage["calls"],
        prompt_tokens=usage["prompt_tokens"],
        completion_tokens=usage["completion_tokens"],
        cost_usd=usage["cost_usd"],
    )


def _share(found: Sequence[bool]) -> float | None:
    return sum(found) / len(found) if found else None
