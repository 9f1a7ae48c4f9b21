"""Pairs written by a model from passages: each is checked, and its twin gets a slip."""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.generator_spec import GeneratorSpec
from evaluation.question_writers.by_model.concurrent_jobs import run_jobs
from evaluation.question_writers.by_model.forms import ModelTasks, WrittenPair
from evaluation.question_writers.by_model.nearest import AskedAlike, PassagesElsewhere
from evaluation.question_writers.rules.passages import DocumentPassage, in_asking_order
from evaluation.question_writers.rules.slips import choose_and_apply
from evaluation.quotes import find_nearly
from evaluation.types import HOLDOUT, DraftEvidence, DraftQuestion, Rejected, Written
from rag_pipeline.embedders.base import Embed
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import lower_words
from rag_pipeline.errors import ProviderError
from rag_pipeline.llm.circuit_breaker import CircuitBreaker
from rag_pipeline.types import SourceDoc, Span

_ATTEMPTS = 2
_MOST_EMPTY_PASSAGES = 40
"""Passages in a row without a question after which writing ends: the model fails then, and each costs several calls."""
_MOST_FAILURES = 3
"""Failed passages in a row after which the model counts as unusable."""
_FEWEST_QUOTED_WORDS = 3
_LONGEST_QUOTE = 700
_NOTHING = "The passage holds nothing that a person would ask"


@dataclass(frozen=True, slots=True)
class _Result:
    """What became of one passage. `failed`: the provider could not be asked."""

    number: int
    passage: DocumentPassage
    questions: tuple[DraftQuestion, ...]
    rejected: tuple[Rejected, ...]
    failed: ProviderError | None = None


class PairWriting:
    """Goes through the passages until there are enough pairs, never twice with the same evidence."""

    def __init__(
        self,
        tasks: ModelTasks,
        documents: Sequence[SourceDoc],
        spec: GeneratorSpec,
        embed: Embed,
        done: Sequence[DraftQuestion],
        asked: Sequence[DraftQuestion] = (),
    ) -> None:
        self._tasks = tasks
        self._spec = spec
        self._asked_alike = AskedAlike(
            embed, [(each.text, each.references) for each in (*done, *asked) if each.kind == "simple"]
        )
        self._elsewhere = PassagesElsewhere(documents)
        self._asked = [each.span for question in asked for each in question.evidence]
        self._taken: list[Span] = [each.span for question in done for each in question.evidence] + self._asked
        self._texts = {question.text.casefold() for question in (*done, *asked)}
        passages = in_asking_order(documents, spec.pairs, random.Random(f"passages:{spec.seed}"))
        # Passages that gave a question before an interruption come again only after all the others.
        self._passages = deque(sorted(passages, key=lambda passage: bool(self._taken_in(passage))))
        stored = {question.pair_id for question in done}
        self._numbers = deque(number for number in range(1, spec.pairs + 1) if _pair_id(number) not in stored)
        self._missing = len(self._numbers)
        self._breaker = CircuitBreaker(_MOST_FAILURES)
        self._empty_passages = 0
        self._failed: defaultdict[tuple[int, int], list[Rejected]] = defaultdict(list)

    async def write(self) -> AsyncIterator[Written]:
        """Yield each passage's outcome. Raises ProviderError when the model cannot be used."""
        async for result in run_jobs(self._start, self._wanted):
            self._breaker.record(result.failed)
            self._empty_passages = 0 if result.questions else self._empty_passages + 1
            if result.questions:
                self._missing -= 1
                self._passages.append(result.passage)  # it may hold more, once every other was asked
            else:
                self._numbers.appendleft(result.number)
            yield Written(result.questions, result.rejected)

    def _wanted(self) -> int:
        return self._missing if self._empty_passages < _MOST_EMPTY_PASSAGES else 0

    def _start(self) -> Coroutine[Any, Any, _Result] | None:
        if not self._passages or not self._numbers:
            return None
        return self._questions_on(self._passages.popleft(), self._numbers.popleft())

    async def _questions_on(self, passage: DocumentPassage, number: int) -> _Result:
        rejected: list[Rejected] = []
        try:
            for _ in range(_ATTEMPTS):
                pair, evidence, problem = await self._attempt(passage, number)
                if not problem:
                    return _Result(number, passage, self._drafts(number, pair, evidence), tuple(rejected))
                rejected.append(Rejected(pair.question, problem))
                if problem == _NOTHING:
                    break
                self._failed[passage.document.id, passage.start].append(rejected[-1])
        except ProviderError as error:
            rejected.append(Rejected("", str(error)))
            return _Result(number, passage, (), tuple(rejected), error)
        return _Result(number, passage, (), tuple(rejected))

    async def _attempt(self, passage: DocumentPassage, number: int) -> tuple[WrittenPair, list[DraftEvidence], str]:
        """Return a pair, its evidence, and what is wrong with it (empty: nothing; its evidence is then taken)."""
        pair = await self._tasks.write_pair(passage, self._wording(number), self._avoid(passage), number)
        if not pair.question.strip():
            return pair, [], _NOTHING
        evidence = _evidence(passage, pair.quote)
        problem = self._problem(pair, evidence) or await self._problem_by_model(pair, evidence)
        problem = problem or await self._asked_alike.problem(pair.question, pair.references)
        # Looked at again: another passage's pair may have come first while this one was checked.
        problem = problem or self._problem(pair, evidence)
        if not problem:
            self._taken += [each.span for each in evidence]
            self._texts |= {pair.question.casefold(), pair.twin.casefold()}
        return pair, evidence, problem

    async def _problem_by_model(self, pair: WrittenPair, evidence: Sequence[DraftEvidence]) -> str:
        elsewhere = await self._elsewhere.find(pair.question, evidence)
        return await self._tasks.problem_of_pair(pair, "\n".join(each.text for each in evidence), elsewhere)

    def _wording(self, number: int) -> str:
        """Return how the twin of a pair is worded."""
        return self._spec.wordings[(number - 1) % len(self._spec.wordings)]

    def _problem(self, pair: WrittenPair, evidence: Sequence[DraftEvidence]) -> str:
        """Return what can be seen without a judge to be wrong."""
        if not evidence:
            return "Its evidence is not in the passage"
        length = sum(len(each.text) for each in evidence)
        if length > _LONGEST_QUOTE or sum(len(lower_words(each.text)) for each in evidence) < _FEWEST_QUOTED_WORDS:
            return "Its evidence is too long or too short"
        if not pair.answer.strip() or not pair.twin.strip():
            return "Its answer or its twin is missing"
        if pair.twin.strip().casefold() == pair.question.strip().casefold():
            return "Its twin is the same question in the same words"
        if pair.question.casefold() in self._texts:
            return "It was asked before"
        used = any(_overlap(each.span, taken) for each in evidence for taken in self._taken)
        if used or any(each.span.meets(asked) for each in evidence for asked in self._asked):
            return "Its evidence was used before"
        return ""

    def _avoid(self, passage: DocumentPassage) -> list[str]:
        """Return what has been asked about a passage, and what was written about it and not good enough."""
        text = passage.document.text
        used = [f"Do not ask about this again: “{text[one.start : one.end]}”" for one in self._taken_in(passage)]
        failed = [
            f"This one was not good enough ({each.reason}): “{each.text}”"
            for each in self._failed[passage.document.id, passage.start]
        ]
        return used + failed

    def _taken_in(self, passage: DocumentPassage) -> list[Span]:
        """Return the evidence used so far that touches a passage."""
        whole = Span(passage.document.id, passage.start, passage.end)
        return [span for span in self._taken if span.meets(whole)]

    def _drafts(
        self, number: int, pair: WrittenPair, evidence: Sequence[DraftEvidence]
    ) -> tuple[DraftQuestion, DraftQuestion]:
        pair_id = _pair_id(number)
        rng = random.Random(f"{self._spec.seed}:{pair_id}")
        split = "holdout" if rng.random() < HOLDOUT else "tune"
        protected = _protected(pair, evidence)
        kinds = self._spec.slip_kinds
        wanted = kinds[(number - 1) % len(kinds)] if kinds else ""
        twin, error = choose_and_apply(pair.twin.strip(), protected, rng, wanted, kinds)
        references = pair.references
        metadata = {"writer": self._spec.llm}
        simple = DraftQuestion(
            f"{pair_id}-simple", pair_id, "simple", pair.question.strip(), references, tuple(evidence),
            split=split, metadata=metadata,
        )  # fmt: skip
        complex_twin = DraftQuestion(
            f"{pair_id}-complex", pair_id, "complex", twin, references, tuple(evidence),
            transformation=self._wording(number), error=error, split=split, metadata=metadata,
        )  # fmt: skip
        return simple, complex_twin


def _pair_id(number: int) -> str:
    return f"p{number:03d}"


def _evidence(passage: DocumentPassage, quote: str) -> list[DraftEvidence]:
    spans = [passage.span(start, end) for start, end in find_nearly(passage.text, quote)]
    return [DraftEvidence(span, passage.document.text[span.start : span.end]) for span in spans]


def _overlap(one: Span, other: Span) -> bool:
    """Return whether two spans share half of the shorter one."""
    if one.document_id != other.document_id:
        return False
    shared = min(one.end, other.end) - max(one.start, other.start)
    return shared * 2 >= min(len(one), len(other))


def _protected(pair: WrittenPair, evidence: Sequence[DraftEvidence]) -> set[str]:
    """Return the words that a slip must not spoil: what the question names, and what leads to the evidence."""
    said = " ".join([pair.question, pair.answer, *(each.text for each in evidence)])
    return {word for word in lower_words(said) if word not in STOP} | {
        "who",
        "what",
        "when",
        "where",
        "why",
        "which",
        "how",
    }
