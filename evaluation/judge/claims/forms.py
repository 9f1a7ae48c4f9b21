"""What the judge fills in about claims, and the requests for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Self

from pydantic import field_validator

from evaluation.judge.forms import JudgeForm, majority
from evaluation.judge.judge import Request
from rag_pipeline.llm.structured import Form

ONE_REPLY = 60
"""Claims that are extracted with one reply; a text that makes more is extracted in portions."""

MOST_CLAIMS = 400
"""Claims of one text that are checked; one that makes more is not scored by claims."""

PART_PROMPT = "claims_of_part"


class ExtractedClaims(JudgeForm):
    """The statements of a text, each understandable by itself; none for a text that declines."""

    voted: ClassVar[bool] = False

    claims: list[str]


class CheckedClaim(Form):
    """The verdict on one claim; the reason comes first, so that the verdict follows from it."""

    number: int
    reason: str = ""
    supported: bool


class CheckedClaims(JudgeForm):
    """The verdicts on a numbered list of claims, in its order, whatever the order of the reply."""

    verdicts: list[CheckedClaim]

    @classmethod
    def combine(cls, replies: Sequence[Self]) -> Self:
        """Return the majority on each claim, of the replies that have a verdict on it."""
        by_number: dict[int, list[CheckedClaim]] = {}
        for reply in replies:
            for verdict in reply.verdicts:
                by_number.setdefault(verdict.number, []).append(verdict)
        return cls(verdicts=[majority(votes) for votes in by_number.values()])

    @field_validator("verdicts")
    @classmethod
    def _in_order(cls, value: list[CheckedClaim]) -> list[CheckedClaim]:
        return sorted(value, key=lambda verdict: verdict.number)


def extraction(question: str, text: str) -> Request[ExtractedClaims]:
    """Return the request for the claims of `text`, an answer to `question`."""
    # One more than fits, so that it is seen when there are more.
    fields = {"question": question.strip(), "answer": text.strip(), "most": str(ONE_REPLY + 1)}
    return Request("claims", ExtractedClaims, fields, chain=3)


def extraction_of_part(question: str, before: str, part: str) -> Request[ExtractedClaims]:
    """Return the request for the claims of a `part` of an answer to `question`; `before` says whom its “it” means."""
    fields = {"question": question.strip(), "before": before or "(nothing)", "part": part, "most": str(ONE_REPLY + 1)}
    return Request(PART_PROMPT, ExtractedClaims, fields, chain=3)


def check_against_text(claims: Sequence[str], text: str) -> Request[CheckedClaims]:
    """Return the request for verdicts on `claims` by one context, or all of them joined."""
    fields = {"claims": _numbered(claims), "text": text}
    return Request("check_claims", CheckedClaims, fields, _complete(len(claims)), chain=2)


def check_against_answer(claims: Sequence[str], question: str, other: str) -> Request[CheckedClaims]:
    """Return the request for verdicts on `claims` by another answer to the same question."""
    fields = {"claims": _numbered(claims), "question": question.strip(), "other": other.strip()}
    # None depends on it, but a chain that has begun is ended first: what is made of it is then not the last thing.
    return Request("compare_claims", CheckedClaims, fields, _complete(len(claims)), chain=2)


def _numbered(claims: Sequence[str]) -> str:
    return "\n".join(f"{number}. {claim}" for number, claim in enumerate(claims, 1))


def _complete(count: int) -> Callable[[CheckedClaims], str]:
    """Return the check that no claim has two verdicts, and more than half have one: the rest is asked for alone."""

    def check(reply: CheckedClaims) -> str:
        numbers = {verdict.number for verdict in reply.verdicts}
        if len(numbers) == len(reply.verdicts) > count / 2 and numbers <= set(range(1, count + 1)):
            return ""
        return (
            f"There are {count} claims, numbered 1 to {count}: “verdicts” must have exactly one entry for each number."
        )

    return check
