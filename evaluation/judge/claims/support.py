"""Whether texts support claims: decided by all of them joined, then attributed to single ones.

One call decides, however many texts there are: a claim that any of k calls may support is supported the more often the
larger k is, because each call has its chance of a false yes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from evaluation.judge.claims.forms import CheckedClaims, check_against_text
from evaluation.judge.claims.table import Verdict
from evaluation.judge.judge import Judge, Request, Unjudged
from rag_pipeline.llm.loop_thread import together

BETWEEN = "\n\n---\n\n"
"""Stands between contexts that are shown together."""

Verdicts = dict[str, Verdict]
"""By claim."""
Portion = tuple[Sequence[str], Verdicts]
"""Texts that were shown together, and what they say of the claims."""


async def verdicts_on(
    judge: Judge, claims: Sequence[str], request: Callable[[Sequence[str]], Request[CheckedClaims]]
) -> Verdicts | Unjudged:
    """Return the verdict on each claim, or why one of them could not be had. `request` asks about a list of claims.

    Lists have at most `judge.batch` claims; verdicts that a reply leaves out are asked for by themselves.
    """
    lists = [claims[start : start + judge.batch] for start in range(0, len(claims), judge.batch)]
    found: Verdicts = {}
    for part in await together(*(_one_list(judge, part, request) for part in lists)):
        if isinstance(part, Unjudged):
            return part
        found |= part
    return found


async def _one_list(
    judge: Judge, claims: Sequence[str], request: Callable[[Sequence[str]], Request[CheckedClaims]]
) -> Verdicts | Unjudged:
    reply = await judge.ask(request(claims))
    if isinstance(reply, Unjudged):
        return reply
    found = {claims[each.number - 1]: Verdict(each.supported, each.reason.strip()) for each in reply.verdicts}
    left = [claim for claim in claims if claim not in found]
    if not left:
        return found
    more = await _one_list(judge, left, request)  # ends: a list that can be used holds more than half
    return more if isinstance(more, Unjudged) else found | more


async def supported_by_all(judge: Judge, claims: Sequence[str], texts: Sequence[str]) -> Verdicts | Unjudged:
    """Return what `texts`, none of them blank, together say of each claim.

    With one call; only texts that exceed the judge's window, or `judge.batch` of them, are shown in portions.
    """
    portions = await _looked_through(judge, claims, texts)
    if isinstance(portions, Unjudged) or len(portions) == 1:
        return portions if isinstance(portions, Unjudged) else portions[0][1]
    return await _confirmed(judge, claims, portions)


async def attributed(judge: Judge, claims: Sequence[str], texts: Sequence[str]) -> dict[str, Verdicts] | Unjudged:
    """Return what each of several texts by itself says of claims that all of them support, by text.

    A claim that none of them has is asked about once more: a false no is likelier than a fact put together.
    """
    found = await _by_text(judge, claims, texts)
    if isinstance(found, Unjudged):
        return found
    scattered = [claim for claim in claims if not any(verdicts[claim].supported for verdicts in found.values())]
    again = await _by_text(judge, scattered, texts, again=1) if scattered else {}
    if isinstance(again, Unjudged):
        return again
    return {text: verdicts | again.get(text, {}) for text, verdicts in found.items()}


async def _by_text(
    judge: Judge, claims: Sequence[str], texts: Sequence[str], again: int = 0
) -> dict[str, Verdicts] | Unjudged:
    replies = await together(*(_asked(judge, claims, [text], again) for text in texts))
    found: dict[str, Verdicts] = {}
    for text, reply in zip(texts, replies, strict=True):
        if isinstance(reply, Unjudged):
            return reply
        found[text] = reply
    return found


async def _asked(judge: Judge, claims: Sequence[str], texts: Sequence[str], again: int = 0) -> Verdicts | Unjudged:
    """Return the verdicts of texts that are shown together; `again`: how often that was asked before."""

    def request(part: Sequence[str]) -> Request[CheckedClaims]:
        asked = check_against_text(part, BETWEEN.join(texts))
        return replace(asked, again=again, divisible=len(texts) > 1)

    return await verdicts_on(judge, claims, request)


async def _looked_through(judge: Judge, claims: Sequence[str], texts: Sequence[str]) -> list[Portion] | Unjudged:
    """Return all texts in as few portions as fit, each with its verdicts."""
    if len(texts) <= judge.batch:
        found = await _asked(judge, claims, texts)
        if not isinstance(found, Unjudged):
            return [(texts, found)]
        if not found.too_long or len(texts) == 1:
            return found
    middle = len(texts) // 2 if len(texts) <= judge.batch else judge.batch
    halves = await together(
        _looked_through(judge, claims, texts[:middle]), _looked_through(judge, claims, texts[middle:])
    )
    portions: list[Portion] = []
    for half in halves:
        if isinstance(half, Unjudged):
            return half
        portions += half
    return portions


async def _confirmed(judge: Judge, claims: Sequence[str], portions: Sequence[Portion]) -> Verdicts | Unjudged:
    """Return which claims a portion supports, by two of three calls: more portions are more chances of a false yes."""
    nowhere = Verdict(False, f"none of the {len(portions)} portions of the contexts supports it")
    decided = dict.fromkeys(claims, nowhere)
    for found in await together(*(_second_opinion(judge, portion) for portion in portions)):
        if isinstance(found, Unjudged):
            return found
        decided |= {claim: verdict for claim, verdict in found.items() if verdict.supported}
    return decided


async def _second_opinion(judge: Judge, portion: Portion) -> Verdicts | Unjudged:
    """Return what becomes of the claims that a portion supports: asked a second time, where that differs a third."""
    texts, first = portion
    found: Verdicts = {}
    left = [claim for claim, verdict in first.items() if verdict.supported]
    for again in (1, 2):
        if not left:
            break
        reply = await _asked(judge, left, texts, again)
        if isinstance(reply, Unjudged):
            return reply
        found |= reply
        left = [claim for claim, verdict in reply.items() if not verdict.supported]
    return found
