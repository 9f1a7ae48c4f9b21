"""What a model writes and judges of test questions: the forms of its replies, and the prompts that ask for them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import Field

from evaluation.question_writers.rules.passages import DocumentPassage
from rag_pipeline.llm.chat import ChatModel
from rag_pipeline.llm.structured import Form, ask_form
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.prompt_files import fill_prompt, read_prompt

F = TypeVar("F", bound=Form)

_TWIN = {
    "rephrase": "in other words: another sentence structure and other words, about as long.",
    "complicate": (
        "asked in a much more involved way: longer, with subordinate clauses, conditions or an indirect description "
        "of what is asked, so that it has to be read with care; but it asks for nothing more, and all that is needed "
        "to know what is meant stays in it."
    ),
    "situational": (
        "asked out of the asker's circumstances: two to four sentences in the first person on who asks and why, with "
        "details that may distract but change nothing, then the question."
    ),
}
_KINDS = (
    "a fact (who, what, which)",
    "how something is done, or what somebody must do",
    "when something happens or happened, or how long it takes",
    "why something is so, or what follows from it",
    "a number, an amount or a limit; in a table, one by its row and column",
    "a condition or an exception (if, unless, only when)",
    "what something is, or how two things differ",
)
"""What a question may ask for, in turn, so that a set has some of each."""
_MOST_AVOIDED = 12
_CHECK = 5
"""Priority of checks: what is written is finished before more is begun."""


class WrittenPair(Form):
    """A question, its answer and evidence, and its twin. All empty: the passage gives none.

    `short`: the shortest right answer; a prompt of a person's own need not ask for it.
    """

    question: str
    answer: str
    quote: str
    twin: str
    short: str = ""

    @property
    def references(self) -> tuple[str, ...]:
        """The reference answers, the shortest first."""
        return tuple(dict.fromkeys(each.strip() for each in (self.short, self.answer) if each.strip()))


class EvidenceVerdict(Form):
    """Whether the evidence carries the pair."""

    answerable: bool
    answer_correct: bool
    same: bool
    reason: str = ""


class ElsewhereVerdict(Form):
    """Whether other places of the documents answer the question, and as the reference does."""

    answered: bool
    same: bool = True
    reason: str = ""


class StandaloneVerdict(Form):
    """Whether the pair is understood without its passage."""

    understandable: bool
    reason: str = ""


class FarQuestions(Form):
    """Questions on other subjects."""

    questions: list[str]


class NearQuestion(Form):
    """A question on something that the passage names, for what it does not say."""

    question: str
    entity: str
    attribute_words: list[str] = Field(min_length=1)


class NearQuestions(Form):
    """Several of them."""

    questions: list[NearQuestion]


class AbsenceVerdict(Form):
    """Whether the best passages answer a question."""

    answered: bool
    sensible: bool = True
    reason: str = ""


@dataclass(slots=True)
class ModelTasks:
    """Asks one model for all of it. `tally` counts what that costs; `prompts`: those that are not as shipped."""

    model: ChatModel
    purpose: str
    tally: UsageTally
    prompts: Mapping[str, str] = field(default_factory=dict)

    async def write_pair(
        self, passage: DocumentPassage, transformation: str, avoid: Sequence[str], number: int
    ) -> WrittenPair:
        """Return a pair about the passage. `avoid` says what not to do again; `number`: which of the set it is."""
        recent = [text for text in avoid if text][-_MOST_AVOIDED:]
        prompt = self._prompt(
            "write_pair",
            purpose=self._purpose(),
            document=passage.document.name,
            passage=passage.text.strip(),
            transformation=_TWIN[transformation],
            kind=_KINDS[(number - 1) % len(_KINDS)],
            avoid="\n" + "\n".join(recent) + "\n" if recent else "",
        )
        return await ask_form(self.model, prompt, WrittenPair, self.tally)

    async def mend_pair(self, passage: DocumentPassage, pair: WrittenPair, problem: str) -> WrittenPair:
        """Return a pair without its problem, all empty where the passage does not allow one."""
        prompt = self._prompt(
            "mend_pair",
            purpose=self._purpose(),
            document=passage.document.name,
            passage=passage.text.strip(),
            question=pair.question,
            twin=pair.twin,
            answer=" / ".join(pair.references),
            problem=problem,
        )
        return await ask_form(self.model, prompt, WrittenPair, self.tally)

    async def problem_of_pair(self, pair: WrittenPair, evidence: str, elsewhere: Sequence[DocumentPassage]) -> str:
        """Return why the pair cannot be used, in the user's words; empty when it can.

        `elsewhere`: passages without its evidence that may answer it otherwise.
        """
        values = {
            "question": pair.question,
            "twin": pair.twin,
            "answer": " / ".join(pair.references),
            "evidence": evidence,
            "passages": _apart(elsewhere),
        }
        by_evidence, alone, other = await asyncio.gather(
            self._verdict("check_pair", EvidenceVerdict, values),
            self._verdict("check_standalone", StandaloneVerdict, values),
            self._verdict("check_elsewhere", ElsewhereVerdict, values) if elsewhere else _answered_nowhere(),
        )
        if not by_evidence.answerable:
            return "Its evidence alone does not answer it"
        if not by_evidence.answer_correct:
            return "Its reference answer is not what the evidence says"
        if not alone.understandable:
            return "It cannot be understood without the passage"
        if other.answered and not other.same:
            return "Another passage answers it otherwise"
        return "" if by_evidence.same else "Its twin asks for something else"

    async def _verdict(self, name: str, form: type[F], values: Mapping[str, str]) -> F:
        return await ask_form(self.model, self._prompt(name, **values), form, self.tally, priority=_CHECK)

    async def write_far(self, documents: Sequence[str], count: int, avoid: Sequence[str]) -> list[str]:
        """Return questions on subjects that the documents have nothing to do with."""
        prompt = self._prompt(
            "write_far",
            purpose=self._purpose(),
            documents="\n\n".join(documents),
            count=str(count),
            avoid=_listed(avoid),
        )
        return (await ask_form(self.model, prompt, FarQuestions, self.tally)).questions

    async def write_near(self, passage: DocumentPassage, count: int, avoid: Sequence[str]) -> list[NearQuestion]:
        """Return questions on names of the passage, for what it does not say."""
        prompt = self._prompt(
            "write_near",
            purpose=self._purpose(),
            document=passage.document.name,
            passage=passage.text.strip(),
            count=str(count),
            avoid=_listed(avoid),
        )
        return (await ask_form(self.model, prompt, NearQuestions, self.tally)).questions

    async def problem_of_absent(self, question: str, passages: Sequence[DocumentPassage]) -> str:
        """Return why a question cannot be used as one without an answer; empty when it can."""
        verdict = await self._verdict(
            "check_absent", AbsenceVerdict, {"passages": _apart(passages), "question": question}
        )
        if verdict.answered:
            return "The documents answer it"
        return "" if verdict.sensible else "It is not a sensible question on its own"

    def _prompt(self, name: str, **values: str) -> str:
        """Return a prompt with its placeholders filled."""
        return fill_prompt(self.prompts.get(name) or read_prompt("evaluation.question_writers.by_model", name), values)

    def _purpose(self) -> str:
        if not self.purpose.strip():
            return ""
        return f" What it is for: {self.purpose.strip()}. Ask what its users would ask, in the way they would ask it."


async def _answered_nowhere() -> ElsewhereVerdict:
    return ElsewhereVerdict(answered=False)


def _apart(passages: Sequence[DocumentPassage]) -> str:
    return "\n\n---\n\n".join(passage.text.strip() for passage in passages)


def _listed(texts: Sequence[str]) -> str:
    return "\n".join(f"- {text}" for text in texts[-_MOST_AVOIDED * 2 :]) or "- (none yet)"
