"""Out-of-scope questions written by a model, each checked against the nearest passages of the corpus."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from evaluation.generator_spec import GeneratorSpec
from evaluation.question_writers.by_model.concurrent_jobs import merged, run_jobs
from evaluation.question_writers.by_model.forms import ModelTasks, NearQuestion
from evaluation.question_writers.by_model.nearest import NearestPassages
from evaluation.question_writers.rules.absence import WindowIndex
from evaluation.question_writers.rules.entities import looks_like_person
from evaluation.question_writers.rules.passages import in_asking_order
from evaluation.types import HOLDOUT, DraftQuestion, Rejected, Written
from rag_pipeline.embedders.base import Embed
from rag_pipeline.errors import ProviderError
from rag_pipeline.llm.circuit_breaker import CircuitBreaker
from rag_pipeline.llm.loop_thread import together
from rag_pipeline.types import SourceDoc

_AT_ONCE = 16
"""Candidates of a kind that are asked for in one round, at most."""
_PER_PASSAGE = 3
_EMPTY_ROUNDS = 3
_MOST_FAILURES = 3
"""Failed calls in a row after which the model counts as unusable."""
_SHOWN_DOCUMENTS, _SHOWN_CHARACTERS = 6, 400


@dataclass(frozen=True, slots=True)
class _OutOfScopeCandidate:
    """A question that is to be checked. Far ones have no entity."""

    kind: str
    text: str
    entity: str = ""
    attribute: tuple[str, ...] = ()


_Write = Callable[[], Awaitable[list[_OutOfScopeCandidate]]]


class _CheckedCandidate(NamedTuple):
    """A candidate with why it cannot be used (empty: it can). `failed`: the model could not be asked."""

    candidate: _OutOfScopeCandidate
    problem: str
    failed: ProviderError | None = None


class OutOfScopeWriting:
    """Asks for candidates in small batches and keeps those that the documents do not answer."""

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
        self._documents = documents
        self._spec = spec
        self._nearest = NearestPassages(documents, embed)
        self._texts = [question.text for question in (*done, *asked)]
        self._missing = {"far": spec.out_of_scope - spec.near, "near": spec.near}
        for kind in self._missing:
            self._missing[kind] -= sum(question.transformation == kind for question in done)
        stored = {question.question_id for question in done}
        names = (f"o{number:03d}" for number in range(1, spec.out_of_scope + 1))
        free = [name for name in names if name not in stored]
        far = max(0, self._missing["far"])
        self._names = {"far": deque(free[:far]), "near": deque(free[far:])}
        rng = random.Random(f"outside:{spec.seed}")
        self._passages = deque(in_asking_order(documents, self._missing["near"], rng))
        self._breaker = CircuitBreaker(_MOST_FAILURES)

    async def write(self) -> AsyncIterator[Written]:
        """Yield far and near questions as they come. Raises ProviderError when the model cannot be used."""
        if max(self._missing.values()) <= 0:
            return
        preparing = asyncio.ensure_future(self._nearest.prepare())  # while the model writes the first questions
        kinds = (("far", self._write_far), ("near", self._write_near))
        try:
            async for written in merged(*(self._write_kind(kind, write) for kind, write in kinds)):
                yield written
        finally:
            preparing.cancel()

    async def _write_kind(self, kind: str, write: _Write) -> AsyncGenerator[Written, None]:
        empty = 0
        while self._missing[kind] > 0 and empty < _EMPTY_ROUNDS:
            kept = 0
            async for written in self._checked(kind, await self._candidates(write)):
                kept += len(written.questions)
                yield written
            empty = 0 if kept else empty + 1

    async def _candidates(self, write: _Write) -> list[_OutOfScopeCandidate]:
        try:
            candidates = await write()
        except ProviderError as error:
            self._breaker.record(error)
            return []
        self._breaker.record(None)
        return candidates

    def _at_once(self, kind: str) -> int:
        """Return for how many questions to ask: half more than are missing, as some are found to be answered."""
        return min(_AT_ONCE, self._missing[kind] + -(-self._missing[kind] // 2))

    async def _write_far(self) -> list[_OutOfScopeCandidate]:
        shown = [_beginning(document) for document in self._documents[:_SHOWN_DOCUMENTS]]
        count = self._at_once("far")
        return [
            _OutOfScopeCandidate("far", text.strip()) for text in await self._tasks.write_far(shown, count, self._texts)
        ]

    async def _write_near(self) -> list[_OutOfScopeCandidate]:
        """Return candidates on the next passages, which are all asked about at once, as many as may be needed."""
        count = min(len(self._passages), -(-self._at_once("near") // _PER_PASSAGE))
        passages = [self._passages[place] for place in range(count)]
        self._passages.rotate(-count)
        asked = await together(*(self._tasks.write_near(each, _PER_PASSAGE, self._texts) for each in passages))
        return [_near(question) for made in asked for question in made]

    async def _checked(self, kind: str, candidates: Sequence[_OutOfScopeCandidate]) -> AsyncIterator[Written]:
        waiting = deque(candidates)

        def start() -> Coroutine[Any, Any, _CheckedCandidate] | None:
            return self._check(waiting.popleft()) if waiting else None

        async for candidate, problem, failed in run_jobs(start, lambda: self._missing[kind]):
            self._breaker.record(failed)
            problem = problem or ("It was asked before" if self._known(candidate.text) else "")
            if problem:
                yield Written(rejected=(Rejected(candidate.text, problem),))
                continue
            self._missing[kind] -= 1
            self._texts.append(candidate.text)
            yield Written((self._draft(candidate),))

    async def _check(self, candidate: _OutOfScopeCandidate) -> _CheckedCandidate:
        """Return the candidate with why it cannot be used, empty when it can."""
        if not candidate.text or self._known(candidate.text):
            return _CheckedCandidate(candidate, "It was asked before")
        if candidate.kind == "near" and not self._is_absent(candidate):
            return _CheckedCandidate(candidate, "The documents speak of it")
        try:
            passages = await self._nearest.find(candidate.text)
            return _CheckedCandidate(candidate, await self._tasks.problem_of_absent(candidate.text, passages))
        except ProviderError as error:
            return _CheckedCandidate(candidate, str(error), error)

    def _known(self, text: str) -> bool:
        return text.casefold() in {known.casefold() for known in self._texts}

    @cached_property
    def _windows(self) -> WindowIndex:
        return WindowIndex([document.text for document in self._documents])

    def _is_absent(self, candidate: _OutOfScopeCandidate) -> bool:
        """Return whether the corpus names the entity, and nowhere near it the attribute.

        Words of the entity itself say nothing about the attribute. A person may be called by the last name alone.
        """
        entity = candidate.entity.casefold()
        if not entity or not any(entity in document.text.casefold() for document in self._documents):
            return False
        attribute = [word for word in candidate.attribute if word.casefold() not in entity.split()]
        called = entity.split()[-1] if looks_like_person(candidate.entity.split()) else entity
        return self._windows.absent(called, attribute)

    def _draft(self, candidate: _OutOfScopeCandidate) -> DraftQuestion:
        number = self._names[candidate.kind].popleft()
        rng = random.Random(f"{self._spec.seed}:{number}")
        metadata: dict[str, Any] = {"writer": self._spec.llm}
        if candidate.entity:
            metadata |= {"entity": candidate.entity, "attribute": list(candidate.attribute)}
        return DraftQuestion(
            number, number, "out_of_scope", candidate.text, transformation=candidate.kind,
            split="holdout" if rng.random() < HOLDOUT else "tune", metadata=metadata,
        )  # fmt: skip


def _near(question: NearQuestion) -> _OutOfScopeCandidate:
    words = tuple(dict.fromkeys(word.strip() for word in question.attribute_words if word.strip()))
    return _OutOfScopeCandidate("near", question.question.strip(), question.entity.strip(), words)


def _beginning(document: SourceDoc) -> str:
    return f"“{document.name}”: {' '.join(document.text[:_SHOWN_CHARACTERS].split())}"
