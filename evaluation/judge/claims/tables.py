"""ClaimTables: builds the claim table of an answer, each part only where it is wanted, each only once."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from evaluation.judge.claims.extraction import claims_of
from evaluation.judge.claims.forms import ONE_REPLY, check_against_answer
from evaluation.judge.claims.support import Verdicts, attributed, supported_by_all, verdicts_on
from evaluation.judge.claims.table import (
    ANSWER_ATTRIBUTED,
    ANSWER_CONTEXTS,
    ANSWER_REFERENCE,
    REFERENCE_ANSWER,
    REFERENCE_ATTRIBUTED,
    REFERENCE_CONTEXTS,
    Claim,
    ClaimTable,
    Verdict,
)
from evaluation.judge.judge import Judge, Unjudged
from evaluation.types import Sample
from rag_pipeline.llm.loop_thread import together

_EMPTY_CONTEXT = Verdict(False, "the context is empty")
_NOTHING_RETRIEVED = Verdict(False, "there is no context")

OF_ANSWER = frozenset({ANSWER_CONTEXTS, ANSWER_ATTRIBUTED, ANSWER_REFERENCE})
"""Parts for which the answer's claims are extracted."""
OF_REFERENCE = frozenset({REFERENCE_CONTEXTS, REFERENCE_ATTRIBUTED, REFERENCE_ANSWER})
"""Parts for which the references' claims are extracted."""


@dataclass(slots=True)
class _Draft:
    """A table in the making. `references`: claims by reference; `joined`, `each` and `others`: verdicts by claim."""

    sample: Sample
    declined: bool
    answer: list[str] = field(default_factory=list)
    references: dict[str, list[str]] = field(default_factory=dict)
    joined: Verdicts = field(default_factory=dict)
    each: dict[str, Verdicts] = field(default_factory=dict)
    in_reference: dict[str, Verdicts] = field(default_factory=dict)
    in_answer: Verdicts = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)

    @property
    def answer_text(self) -> str:
        return "" if self.declined else self.sample.trace.answer.strip()

    @property
    def contexts(self) -> list[str]:
        return [context.text for context in self.sample.trace.contexts]

    @property
    def texts(self) -> list[str]:
        """Return what the contexts hold, each text once."""
        return [text for text in dict.fromkeys(self.contexts) if text.strip()]

    @property
    def reference_claims(self) -> list[str]:
        """Return the claims of all references, each once."""
        return list(dict.fromkeys(claim for claims in self.references.values() for claim in claims))

    def lost(self, parts: Iterable[str], problem: str) -> None:
        """Note why parts could not be had."""
        for part in parts:
            self.problems.setdefault(part, problem)


class ClaimTables:
    """Tables of answers, made by asking `judge`; `parts` are those that any chosen metric reads.

    A row with r references takes 1 + r extractions, one check against all contexts joined (claims of answer and
    references in one list), one comparison of the answer's claims with each reference and one of all their claims with
    the answer. Only where contexts are attributed, each of the k takes a call more, for what is supported already.
    Claims beyond `judge.batch` in a list take a further call, and a text of more than `ONE_REPLY` claims an extraction
    for each of its portions.
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
            draft = _Draft(sample, declined, references={text: [] for text in distinct_references(sample)})
            held = self._made[id(sample)] = (sample, asyncio.ensure_future(self._make(draft)))
        return await held[1]

    def made_for(self, sample: Sample) -> ClaimTable | None:
        """Return the table of a sample where one was made."""
        held = self._made.get(id(sample))
        return held[1].result() if held else None

    async def _make(self, draft: _Draft) -> ClaimTable:
        await together(
            self._extract(draft, draft.answer, "answer", draft.answer_text, OF_ANSWER),
            *(
                self._extract(draft, claims, "reference", text, OF_REFERENCE)
                for text, claims in draft.references.items()
            ),
        )
        await together(
            self._check_contexts(draft),
            self._check_answer(draft),
            *(self._check_reference(draft, text) for text in draft.references),
        )
        return self._finished(draft)

    async def _extract(self, draft: _Draft, claims: list[str], whose: str, text: str, parts: frozenset[str]) -> None:
        if not text or self.parts.isdisjoint(parts):
            return
        found = await claims_of(self.judge, draft.sample.trace.question, text)
        if isinstance(found, Unjudged):
            draft.lost(self.parts & parts, f"the {whose}'s claims could not be extracted: {found.reason}")
            return
        if found.portions > 1:
            more = f"The {whose} states more than {ONE_REPLY} things"
            draft.notes.append(f"{more}: its claims were extracted in {found.portions} portions.")
        claims.extend(found.claims)

    async def _check_contexts(self, draft: _Draft) -> None:
        """Have all contexts joined decide on the claims, then say which of them support what is supported."""
        usable = self.parts - draft.problems.keys()
        answer = draft.answer if ANSWER_CONTEXTS in usable else []
        references = draft.reference_claims if REFERENCE_CONTEXTS in usable else []
        claims = list(dict.fromkeys([*answer, *references]))
        if not draft.texts:
            draft.joined = dict.fromkeys(claims, _NOTHING_RETRIEVED)
        if not claims or not draft.texts:
            return
        found = await supported_by_all(self.judge, claims, draft.texts)
        if isinstance(found, Unjudged):
            lost = {ANSWER_CONTEXTS, ANSWER_ATTRIBUTED} if answer else set()
            lost |= {REFERENCE_CONTEXTS, REFERENCE_ATTRIBUTED} if references else set()
            draft.lost(lost, f"its claims could not be checked: {found.reason}")
            return
        draft.joined = found
        await self._attribute(draft)

    async def _attribute(self, draft: _Draft) -> None:
        """Ask each context about the claims that all of them support, where it matters which one does."""
        usable = self.parts - draft.problems.keys()
        wanted = draft.answer if ANSWER_ATTRIBUTED in usable else []
        wanted = [*wanted, *(draft.reference_claims if REFERENCE_ATTRIBUTED in usable else [])]
        claims = [claim for claim in dict.fromkeys(wanted) if draft.joined[claim].supported]
        if len(draft.texts) == 1:
            draft.each = {draft.texts[0]: draft.joined}
        elif claims:
            found = await attributed(self.judge, claims, draft.texts)
            if isinstance(found, Unjudged):
                lost = {ANSWER_ATTRIBUTED, REFERENCE_ATTRIBUTED}
                draft.lost(lost, f"its claims could not be attributed to contexts: {found.reason}")
                return
            draft.each = found

    async def _check_reference(self, draft: _Draft, text: str) -> None:
        """Have one reference say which claims of the answer it states too."""
        if ANSWER_REFERENCE in self.parts and draft.answer:
            draft.in_reference[text] = await self._compared(draft, draft.answer, text, ANSWER_REFERENCE)

    async def _check_answer(self, draft: _Draft) -> None:
        """Have the answer say which claims of the references it states too."""
        claims = draft.reference_claims
        if REFERENCE_ANSWER not in self.parts - draft.problems.keys() or not claims:
            return
        if not draft.answer_text:
            nothing = Verdict(False, "the answer declines" if draft.declined else "the answer is empty")
            draft.in_answer = dict.fromkeys(claims, nothing)
        else:
            draft.in_answer = await self._compared(draft, claims, draft.answer_text, REFERENCE_ANSWER)

    async def _compared(self, draft: _Draft, claims: Sequence[str], text: str, part: str) -> Verdicts:
        request = partial(check_against_answer, question=draft.sample.trace.question, other=text)
        found = await verdicts_on(self.judge, claims, request)
        if isinstance(found, Unjudged):
            draft.lost([part], f"its claims could not be checked: {found.reason}")
            return {}
        return found

    def _finished(self, draft: _Draft) -> ClaimTable:
        first, *others = (self._against(draft, text) for text in draft.references or [""])
        return ClaimTable(first.answer, first.reference, tuple(draft.notes), draft.problems, tuple(others))

    def _against(self, draft: _Draft, reference: str) -> ClaimTable:
        """Return the table of the answer and one of its references."""
        in_reference = {} if ANSWER_REFERENCE in draft.problems else draft.in_reference.get(reference, {})
        in_answer = {} if REFERENCE_ANSWER in draft.problems else draft.in_answer
        return ClaimTable(
            tuple(self._claim(draft, text, ANSWER_CONTEXTS, in_reference) for text in draft.answer),
            tuple(
                self._claim(draft, text, REFERENCE_CONTEXTS, in_answer) for text in draft.references.get(reference, [])
            ),
        )

    def _claim(self, draft: _Draft, claim: str, by_contexts: str, by_other: Verdicts) -> Claim:
        joined = draft.joined.get(claim) if by_contexts in self.parts else None
        contexts: tuple[Verdict, ...] = ()
        if joined and draft.each and all(claim in verdicts for verdicts in draft.each.values()):
            contexts = tuple(draft.each[text][claim] if text.strip() else _EMPTY_CONTEXT for text in draft.contexts)
        return Claim(claim, contexts, joined, by_other.get(claim))


def distinct_references(sample: Sample) -> list[str]:
    """Return the references of a sample without blank ones and those that differ in capitals and white space alone."""
    found: dict[str, str] = {}
    for text in sample.reference_answers:
        found.setdefault(" ".join(text.casefold().split()), text.strip())
    return [text for text in found.values() if text]
