"""The setting most likely to help with each failure point, said with what was measured."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.metrics.base import metrics
from evaluation.scoring.diagnosis import points
from rag_pipeline.llm.target import BUILTIN_READER

Found = Sequence[Mapping[str, Any]]
"""The details of all answers that failed at one point."""
Settings = Mapping[str, Any]

_FARTHEST = 20
"""Rank up to which a larger top k is worth a try, or four times the present one, at most 100."""
_MOST = 0.75
"""Share of the evidence within reach that a proposed number of chunks takes in."""
_FINDS_MORE = {
    "bm25": "dense or hybrid retrieval also finds it in other words",
    "dense": "hybrid retrieval also finds exact words; another embedding may rank it higher",
    "mmr": "hybrid retrieval also finds exact words; another embedding may rank it higher",
}


@dataclass(frozen=True, slots=True)
class Advice:
    """What to try: the setting's name on screen, and why, with figures. `change`: a setting and the value to try."""

    setting: str
    text: str
    change: tuple[str, int] | None = None


def advice(point: int, found: Found, settings: Settings) -> list[Advice]:
    """Return what to try against a failure point, the cause with the most answers first.

    `found`: the details of the answers that failed there; `settings`: of the run's pipeline.
    """
    given = list(_BY_POINT[point](found, settings)) if found else []
    return [each for _, each in sorted(given, key=lambda pair: -pair[0])]


def _missing_content(found: Found, settings: Settings) -> Iterator[tuple[int, Advice]]:
    causes = _causes(found)
    if count := causes["attempted"]:
        near = sum(each["cause"] == "attempted" and each.get("transformation") == "near" for each in found)
        share = "all" if near == count else near
        kept = f", {share} of them near the documents' subject" if near else ""
        text = (
            f"{_questions(count)} out of scope {_were(count)} attempted{kept}: ask in the prompt to decline what the "
            "context does not answer, or try another model."
        )
        yield count, Advice("Prompt", text)
    if count := causes["empty"]:
        yield count, Advice("Prompt", f"{_questions(count)} out of scope got an empty answer: ask for the refusal.")
    if count := causes["absent"]:
        yield count, Advice("Documents", f"The evidence of {_questions(count)} is in no document that the run read.")


def _missed_ranks(found: Found, settings: Settings) -> Iterator[tuple[int, Advice]]:
    causes, n = _causes(found), len(found)
    if count := causes["split"]:
        yield count, _larger_chunks(_of_cause(found, "split"), n, settings)
    limit = _most(found, "limit")
    ranks = sorted(each["rank"] for each in _of_cause(found, "rank"))
    if near := [rank for rank in ranks if limit < rank <= _reach(limit)]:
        yield _reaching(near, n, str(found[0].get("limited_by") or "top_k"))
    if passed := sum(rank <= limit for rank in ranks):
        text = f"For {passed} of {n} the evidence was near enough, but passed over for something new: try a higher one."
        yield passed, Advice("MMR lambda", text)
    far = [rank for rank in ranks if rank > _reach(limit)]
    if count := len(far) + causes["not found"]:
        where = f"at ranks {_span(far)}" if far else "not found at all"
        more = _FINDS_MORE.get(str(settings.get("retriever")), "another embedding, or a query transform, may find it")
        yield count, Advice("Retriever", f"For {count} of {n} the evidence lay far down ({where}): {more}.")


def _larger_chunks(split: Found, n: int, settings: Settings) -> Advice:
    kind = "parent" if "parent_size" in settings else "chunk"
    size, unit = settings.get(f"{kind}_size"), settings.get("chunk_unit", "characters")
    now = f"; {kind}s have {size:,} {unit}" if isinstance(size, int) else ""
    now += f", overlap {settings[f'{kind}_overlap']}" if now and f"{kind}_overlap" in settings else ""
    text = (
        f"For {len(split)} of {n} no {kind} holds the evidence whole (up to {_most(split, 'length'):,} characters in a "
        f"piece{now}): larger {kind}s or more overlap would."
    )
    limit = _most(split, "limit")
    enough = sorted(each["needed"] for each in split if limit < (each.get("needed") or 0) <= _reach(limit))
    if enough:
        text += f" Top k {enough[-1]} would hold enough of it for {len(enough)}."
    return Advice(f"{kind.capitalize()} size", text)


def _reaching(ranks: Sequence[int], n: int, name: str) -> tuple[int, Advice]:
    reach = ranks[math.ceil(_MOST * len(ranks)) - 1]
    within = [rank for rank in ranks if rank <= reach]
    label = "Top k" if name == "top_k" else "Rerank candidates"
    lay = f"For {len(within)} of {n} the evidence lay at {_ranks(within)}"
    return len(within), Advice(label, f"{lay}: {label.lower()} {reach} would have included it.", (name, reach))


def _not_in_context(found: Found, settings: Settings) -> Iterator[tuple[int, Advice]]:
    causes, n = _causes(found), len(found)
    if count := causes["rerank"]:
        yield count, _after_reranking(_of_cause(found, "rerank"), n, settings)
    if count := causes["consolidate"]:
        text = f"It left out the evidence of {count} of {n}: without it the contexts stay whole."
        yield count, Advice("Consolidation", text)
    if count := causes["budget"]:
        tokens = int(settings.get("context_budget") or 0)
        yield (
            count,
            Advice("Context budget", f"{tokens:,} tokens had no room for the evidence of {count} of {n}: raise it."),
        )
    if count := causes["no context"]:
        yield count, Advice("Use context", "The model answered alone: switched on, it is given what is retrieved.")


def _after_reranking(dropped: Found, n: int, settings: Settings) -> Advice:
    top_k = int(settings.get("top_k") or 0)
    before = sum((each.get("rank") or top_k + 1) <= top_k for each in dropped)
    had = f"; before it, {before} {_were(before)} within the top k" if before else ""
    after = sorted(each["after"] for each in dropped if each.get("after"))
    near = [rank for rank in after if rank <= _reach(top_k)]
    if near and not before:
        text = (
            f"Reranking put the evidence of {len(near)} of {n} at {_ranks(near)}: top k {near[-1]} would have kept it."
        )
        return Advice("Top k", text, ("top_k", near[-1]))
    placed = f" (at {_ranks(after)})" if after else ""
    return Advice(
        "Reranker", f"It put the evidence of {len(dropped)} of {n} below the top k{placed}{had}: try another."
    )


def _wrong_format(found: Found, settings: Settings) -> Iterator[tuple[int, Advice]]:
    for name, count in Counter(rule for each in found for rule in each["rules"]).most_common(3):
        unit = metrics.find(name)
        text = f"{unit.label if unit else name} was broken by {count} of {len(found)}: ask for it in the prompt."
        yield count, Advice("Prompt", text)


def _not_extracted(found: Found, settings: Settings) -> Iterator[tuple[int, Advice]]:
    causes = _causes(found)
    declined, wrong = causes["refused"] + causes["empty"], causes["wrong"]
    unknown = sum(not each.get("evidence_known", True) for each in found)
    with_evidence = f" (for {unknown} no evidence is known)" if unknown else " with the evidence at hand"
    said = f"Of {len(found)}{with_evidence}, {declined} declined and {wrong} answered otherwise"
    if settings.get("llm") == BUILTIN_READER:
        yield len(found), Advice("Model", f"{said}: a language model reads more than the built-in reader.")
    elif declined > wrong:
        yield len(found), Advice("Prompt", f"{said}: ask less strictly to decline, or try another model.")
    else:
        yield len(found), Advice("Model", f"{said}: try another, or fewer and shorter contexts.")


def _incomplete(found: Found, settings: Settings) -> Iterator[tuple[int, Advice]]:
    causes, n = _causes(found), len(found)
    if count := causes["cut off"]:
        text = f"{count} of {n} {_were(count)} cut off at {int(settings.get('max_tokens') or 0):,} tokens: raise it."
        yield count, Advice("Max tokens", text)
    if partial := _of_cause(found, "partial"):
        several = sum(each.get("pieces", 1) > 1 for each in partial)
        parts = f" (the evidence of {several} lies in several places)" if several else ""
        mean = statistics.fmean(each["agreement"] for each in partial)
        said = f"{len(partial)} of {n} say part of the reference, {mean:.2f} of it on average{parts}"
        if settings.get("llm") == BUILTIN_READER:
            yield len(partial), Advice("Model", f"{said}: the built-in reader gives one passage, a language model all.")
        else:
            yield len(partial), Advice("Prompt", f"{said}: ask for complete answers.")


def _specificity(found: Found, settings: Settings) -> Iterator[tuple[int, Advice]]:
    causes = _causes(found)
    if count := causes["too long"]:
        lengths = [(each["words"], each["reference_words"]) for each in found if "words" in each]
        answer, reference = (statistics.median(side) for side in zip(*lengths, strict=True)) if lengths else (0, 0)
        typical = f" ({answer:.0f} words where the reference has {reference:.0f})" if lengths else ""
        text = f"{count} right {'answer is' if count == 1 else 'answers are'} too long{typical}: ask for shorter ones."
        yield count, Advice("Prompt", text)
    if count := causes["too general"]:
        yield count, Advice("Prompt", f"A judge finds {count} too general: ask for names, figures and dates.")


_BY_POINT: dict[int, Callable[[Found, Settings], Iterator[tuple[int, Advice]]]] = {
    points.MISSING_CONTENT: _missing_content,
    points.MISSED_RANKS: _missed_ranks,
    points.NOT_IN_CONTEXT: _not_in_context,
    points.WRONG_FORMAT: _wrong_format,
    points.NOT_EXTRACTED: _not_extracted,
    points.INCOMPLETE: _incomplete,
    points.SPECIFICITY: _specificity,
}


def _reach(limit: int) -> int:
    return min(100, max(_FARTHEST, 4 * limit))


def _causes(found: Found) -> Counter[str]:
    return Counter(str(each.get("cause")) for each in found)


def _of_cause(found: Found, cause: str) -> Found:
    return [each for each in found if each["cause"] == cause]


def _most(found: Found, name: str) -> int:
    return max(int(each.get(name) or 0) for each in found)


def _questions(count: int) -> str:
    return f"{count:,} question{'' if count == 1 else 's'}"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _ranks(ranks: Sequence[int]) -> str:
    return f"rank{'s' if ranks[0] != ranks[-1] else ''} {_span(ranks)}"


def _span(ranks: Sequence[int]) -> str:
    return f"{ranks[0]:,}" if ranks[0] == ranks[-1] else f"{ranks[0]:,} to {ranks[-1]:,}"
