"""The claims of texts: with one reply each, and portion by portion where a text makes more than fit into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.judge.claims.forms import MOST_CLAIMS, ONE_REPLY, ExtractedClaims, extraction, extraction_of_part
from evaluation.judge.judge import Judge, Unjudged
from rag_pipeline.llm.loop_thread import together

PORTION = 20
"""Sentences of a long text whose claims are extracted with one reply: three claims a sentence fit."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """All claims of a text, and in how many portions they were extracted."""

    claims: list[str]
    portions: int = 1


async def claims_of(judge: Judge, question: str, text: str) -> Extracted | Unjudged:
    """Return the claims of a text that answers a question, or why they could not be had.

    Never some of them: a share of the first claims would pass for one of all.
    """
    reply = await judge.ask(extraction(question, text))
    if isinstance(reply, Unjudged):
        return reply
    found = Extracted(distinct(reply.claims))
    return await _in_portions(judge, question, text) if len(found.claims) > ONE_REPLY else found


def portions_of(text: str) -> list[str]:
    """Return a text in portions of at most `PORTION` sentences each."""
    from rag_pipeline.english.sentences import split_sentences

    sentences = split_sentences(text)
    starts = range(0, len(sentences), PORTION)
    return [text[sentences[at].start : sentences[at : at + PORTION][-1].end] for at in starts]


def distinct(claims: Iterable[str]) -> list[str]:
    """Return claims without blank ones and repeats, white space made single."""
    return list(dict.fromkeys(text for claim in claims if (text := " ".join(claim.split()))))


async def _in_portions(judge: Judge, question: str, text: str) -> Extracted | Unjudged:
    """Return the claims of a text that makes more than fit into one reply; all portions are asked about at once."""
    parts = portions_of(text)
    if len(parts) * PORTION > MOST_CLAIMS:
        parts = []
    requests = [extraction_of_part(question, before, part) for before, part in zip(["", *parts], parts, strict=False)]
    return _joined(await together(*(judge.ask(request) for request in requests)))


def _joined(replies: Sequence[ExtractedClaims | Unjudged]) -> Extracted | Unjudged:
    """Return the claims of all portions, or why some or all of them are not there; no portion: the text is too long."""
    claims: list[str] = []
    for reply in replies:
        if isinstance(reply, Unjudged):
            return reply
        own = distinct(reply.claims)
        if len(own) > ONE_REPLY:
            return Unjudged(f"more than {ONE_REPLY} claims in {PORTION} sentences, more than one reply holds")
        claims += own
    claims = distinct(claims)
    if not replies:
        return Unjudged(f"more than {ONE_REPLY} claims in more than {MOST_CLAIMS} sentences: too long to be checked")
    if len(claims) > MOST_CLAIMS:
        return Unjudged(f"more than {MOST_CLAIMS} claims: too many to be checked")
    return Extracted(claims, len(replies))
