"""ClaimTables: builds the claim table of an answer, each part only where it is wanted, each only once."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from evaluation.judge.claims.extraction import claims_of
from evaluation.judge.claims.forms import (
    MOST_AT_ONCE,
    ONE_REPLY,
    CheckedClaims,
    check_against_answer,
    check_against_text,
)
from evaluation.judge.claims.table import (
    ANSWER_CONTEXTS,
    ANSWER_REFERENCE,
    REFERENCE_ANSWER,
    REFERENCE_CONTEXTS,
    Claim,
    ClaimTable,
    Verdict,
)
from evaluation.judge.judge import Judge, Request, Unjudged
from evaluation.types import Sample
from rag_pipeline.llm.loop_thread import together

_EMPTY_CONTEXT = Verdict(False, "the context is empty")
_JOINED = "\n\n---\n\n"

Target = tuple[str, str]
"""What claims are checked against: (`contexts` or the part, the text)."""


@dataclass(slots=True)
class _Draft:
    """A table in the making. `verdicts` by target and claim; None where a claim is still to be judged."""

    sample: Sample
    declined: bool
    answer: list[str] = field(default_factory=list)
    reference: list[str] = field(default_factory=list)
    verdicts: dict[tuple[Target, str], Verdict] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)

    @property
    def answer_text(self) -> str:
        return "" if self.declined else self.sample.trace.answer.strip()

    @property
    def reference_text(self) -> str:
        return next((text.strip() for text in self.sample.reference_answers if text.strip()), "")

    @property
    def contexts(self) -> list[str]:
        return [context.text for context in self.sample.trace.contexts]


@dataclass(frozen=True, slots=True)
class _Check:
    """Claims of one draft to be checked against one target; `parts` are lost when that fails."""

    draft: _Draft
    target: Target
    claims: list[str]
    parts: tuple[str, ...]


class ClaimTables:
    """Tables of answers, made by asking `judge`; `parts` are those that any chosen metric reads.

    At k contexts a row takes 2 extractions, k checks (claims of answer and reference in one list), at most one check
    against all contexts joined, and 2 comparisons; claims beyond `MOST_AT_ONCE` in a list take a further call, and a
    text of more than `ONE_REPLY` claims an extraction for each of its portions.
    """

    def __init__(self, judge: Judge, parts: Collection[str]) -> None:
        self.judge = judge
        self.parts = frozenset(parts)
        self._made: dict[int, tuple[Sample, asyncio.Future[ClaimTable]]] = {}

    async def of(self, sample: Sample, *, declined: bool = False) -> ClaimTable:
        """Return the table of a sample; whoever asks first has it made. Raises ProviderError.

        `declined`: the answer is a refusal and states nothing. What the judge could not say stands in the table's
        `problems`.
        """
        held = self._made.get(id(sample))
        if held is None:
            # The sample is kept beside its table, or another one could come to have its id.
            held = self._made[id(sample)] = (sample, asyncio.ensure_future(self._make(_Draft(sample, declined))))
        return await held[1]

    def made_for(self, sample: Sample) -> ClaimTable | None:
        """Return the table of a sample where one was made."""
        held = self._made.get(id(sample))
        return held[1].result() if held else None

    async def _make(self, draft: _Draft) -> ClaimTable:
        await together(
            self._extract(draft, draft.answer, "answer", draft.answer_text, {ANSWER_CONTEXTS, ANSWER_REFERENCE}),
            self._extract(
                draft, draft.reference, "reference", draft.reference_text, {REFERENCE_CONTEXTS, REFERENCE_ANSWER}
            ),
        )
        await self._check(self._first_checks(draft))
        await self._check(self._joined_checks(draft))
        return self._finished(draft)

    async def _extract(self, draft: _Draft, claims: list[str], whose: str, text: str, parts: set[str]) -> None:
        if not text or not self.parts & parts:
            return
        found = await claims_of(self.judge, draft.sample.trace.question, text)
        if isinstance(found, Unjudged):
            lost = [part for part in self.parts if part.startswith(whose)]
            draft.problems |= dict.fromkeys(lost, f"the {whose}'s claims could not be extracted: {found.reason}")
            return
        if found.portions > 1:
            more = f"The {whose} states more than {ONE_REPLY} things"
            draft.notes.append(f"{more}: its claims were extracted in {found.portions} portions.")
        claims.extend(found.claims)

    def _first_checks(self, draft: _Draft) -> Iterable[_Check]:
        """Yield the checks against each context, and of each text against the other."""
        claims, parts = self._for_contexts(draft)
        for text in dict.fromkeys(draft.contexts):
            if text.strip() and claims:
                yield _Check(draft, ("contexts", text), claims, parts)
        if ANSWER_REFERENCE in self.parts and draft.answer and draft.reference_text:
            yield _Check(draft, (ANSWER_REFERENCE, draft.reference_text), draft.answer, (ANSWER_REFERENCE,))
        if REFERENCE_ANSWER in self.parts and draft.reference and draft.answer_text:
            yield _Check(draft, (REFERENCE_ANSWER, draft.answer_text), draft.reference, (REFERENCE_ANSWER,))

    def _joined_checks(self, draft: _Draft) -> Iterable[_Check]:
        """Yield the check of what no single context supports against all of them."""
        texts = [text for text in dict.fromkeys(draft.contexts) if text.strip()]
        claims, parts = self._for_contexts(draft)
        if len(texts) < 2 or any(part in draft.problems for part in parts):
            return
        left = [
            claim for claim in claims if not any(draft.verdicts[("contexts", text), claim].supported for text in texts)
        ]
        if left:
            yield _Check(draft, ("contexts", _JOINED.join(texts)), left, parts)

    def _for_contexts(self, draft: _Draft) -> tuple[list[str], tuple[str, ...]]:
        """Return the claims that contexts are asked about, those of both texts once, and the parts they belong to."""
        claims: list[str] = []
        parts = []
        for part, own in ((ANSWER_CONTEXTS, draft.answer), (REFERENCE_CONTEXTS, draft.reference)):
            if part in self.parts and own:
                claims += own
                parts.append(part)
        return list(dict.fromkeys(claims)), tuple(parts)

    async def _check(self, checks: Iterable[_Check]) -> None:
        """Ask for all verdicts at once and note them, or what is lost without them."""
        batches = [(check, part) for check in checks for part in _batches(check.claims)]
        replies = await together(*(self.judge.ask(_request(check, claims)) for check, claims in batches))
        for (check, claims), reply in zip(batches, replies, strict=True):
            if isinstance(reply, Unjudged):
                check.draft.problems |= dict.fromkeys(check.parts, f"its claims could not be checked: {reply.reason}")
                continue
            for claim, verdict in zip(claims, reply.verdicts, strict=True):
                check.draft.verdicts[check.target, claim] = Verdict(verdict.supported, verdict.reason.strip())

    def _finished(self, draft: _Draft) -> ClaimTable:
        return ClaimTable(
            tuple(self._claim(draft, text, ANSWER_CONTEXTS, ANSWER_REFERENCE) for text in draft.answer),
            tuple(self._claim(draft, text, REFERENCE_CONTEXTS, REFERENCE_ANSWER) for text in draft.reference),
            tuple(draft.notes),
            draft.problems,
        )

    def _claim(self, draft: _Draft, claim: str, by_contexts: str, by_other: str) -> Claim:
        contexts: tuple[Verdict, ...] = ()
        joined = None
        if by_contexts in self.parts and by_contexts not in draft.problems:
            contexts = tuple(
                draft.verdicts[("contexts", text), claim] if text.strip() else _EMPTY_CONTEXT for text in draft.contexts
            )
            texts = [text for text in dict.fromkeys(draft.contexts) if text.strip()]
            joined = draft.verdicts.get((("contexts", _JOINED.join(texts)), claim)) if len(texts) > 1 else None
        return Claim(claim, contexts, joined, self._other(draft, claim, by_other))

    def _other(self, draft: _Draft, claim: str, part: str) -> Verdict | None:
        """Return whether the other text states a claim; None where that was not asked for or not judged."""
        if part not in self.parts or part in draft.problems:
            return None
        if part == ANSWER_REFERENCE:
            text = draft.reference_text
            return draft.verdicts[(part, text), claim] if text else None
        if not draft.answer_text:
            return Verdict(False, "the answer declines" if draft.declined else "the answer is empty")
        return draft.verdicts[(part, draft.answer_text), claim]


def _batches(claims: Sequence[str]) -> list[Sequence[str]]:
    return [claims[start : start + MOST_AT_ONCE] for start in range(0, len(claims), MOST_AT_ONCE)]


def _request(check: _Check, claims: Sequence[str]) -> Request[CheckedClaims]:
    kind, text = check.target
    if kind == "contexts":
        return check_against_text(claims, text)
    return check_against_answer(claims, check.draft.sample.trace.question, text)
