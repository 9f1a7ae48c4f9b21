"""Checks questions that are there with a model, and mends what fails: wording, reference or evidence."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.question_writers.by_model.concurrent_jobs import run_jobs
from evaluation.question_writers.by_model.forms import ModelTasks, WrittenPair
from evaluation.question_writers.by_model.nearest import NearestPassages, PassagesElsewhere
from evaluation.question_writers.rules.passages import DocumentPassage, cut
from evaluation.quotes import find_nearly
from evaluation.types import CheckedQuestions, DraftEvidence, DraftQuestion
from rag_pipeline.embedders.base import Embed
from rag_pipeline.errors import ProviderError
from rag_pipeline.llm.circuit_breaker import CircuitBreaker
from rag_pipeline.types import SourceDoc

_MOST_FAILURES = 3
"""Failed calls in a row after which the model counts as unusable."""
_AROUND = 1_200
"""Characters of the passage that a pair is mended from, about."""
_Group = Sequence[DraftQuestion]


@dataclass(frozen=True, slots=True)
class _GroupOutcome:
    """What became of a group; `failed`: the model could not be asked."""

    checked: CheckedQuestions
    failed: ProviderError | None = None


class QuestionChecking:
    """Checks group by group: the questions of one pair, or one question out of scope."""

    def __init__(self, tasks: ModelTasks, documents: Sequence[SourceDoc], embed: Embed) -> None:
        self._tasks = tasks
        self._documents = {document.id: document for document in documents}
        self._nearest = NearestPassages(documents, embed)
        self._elsewhere = PassagesElsewhere(documents)
        self._breaker = CircuitBreaker(_MOST_FAILURES)

    async def check(self, groups: Sequence[_Group]) -> AsyncIterator[CheckedQuestions]:
        """Yield what was found of each group, as it comes; of one whose call failed nothing.

        Each pair has evidence. Raises ProviderError.
        """
        waiting = deque(groups)

        def start() -> Coroutine[Any, Any, _GroupOutcome] | None:
            return self._checked(waiting.popleft()) if waiting else None

        async for outcome in run_jobs(start, lambda: len(groups)):
            self._breaker.record(outcome.failed)
            if outcome.failed is None:
                yield outcome.checked

    async def _checked(self, group: _Group) -> _GroupOutcome:
        questions = tuple(group)
        try:
            if not any(each.kind != "out_of_scope" for each in group):
                passages = await self._nearest.find(group[0].text)
                problem = await self._tasks.problem_of_absent(group[0].text, passages)
                return _GroupOutcome(CheckedQuestions(questions, problem))
            return _GroupOutcome(await self._checked_pair(questions))
        except ProviderError as error:
            return _GroupOutcome(CheckedQuestions(questions), error)

    async def _checked_pair(self, questions: tuple[DraftQuestion, ...]) -> CheckedQuestions:
        pair = _pair_of(questions)
        problem = await self._problem(pair, questions[0].evidence)
        passage = self._around(questions[0].evidence) if problem else None
        if passage is None:
            return CheckedQuestions(questions, problem)
        better = await self._tasks.mend_pair(passage, pair, problem)
        evidence = _evidence(passage, better.quote)
        if not evidence or not better.question.strip() or not better.references:
            return CheckedQuestions(questions, problem)
        if await self._problem(better, evidence):
            return CheckedQuestions(questions, problem)
        return CheckedQuestions(questions, problem, _mended(questions, better, evidence))

    async def _problem(self, pair: WrittenPair, evidence: Sequence[DraftEvidence]) -> str:
        elsewhere = await self._elsewhere.find(pair.question, evidence)
        return await self._tasks.problem_of_pair(pair, "\n".join(each.text for each in evidence), elsewhere)

    def _around(self, evidence: Sequence[DraftEvidence]) -> DocumentPassage | None:
        """Return the text around the evidence, to whole passages; None where it stands in several documents."""
        if len({each.span.document_id for each in evidence}) > 1:
            return None
        document = self._documents[evidence[0].span.document_id]
        first, last = min(each.span.start for each in evidence), max(each.span.end for each in evidence)
        near = [each for each in cut(document, _AROUND) if each.start < last and first < each.end]
        return DocumentPassage(document, near[0].start, near[-1].end)


def _pair_of(questions: Sequence[DraftQuestion]) -> WrittenPair:
    """Return the questions of a pair as a model would write them; one without a twin is its own."""
    by_kind = {each.kind: each.text for each in questions}
    question = by_kind.get("simple") or questions[0].text
    references = questions[0].references or ("",)
    twin = by_kind.get("complex", question)
    return WrittenPair(question=question, answer=references[-1], short=references[0], quote="", twin=twin)


def _evidence(passage: DocumentPassage, quote: str) -> tuple[DraftEvidence, ...]:
    spans = [passage.span(start, end) for start, end in find_nearly(passage.text, quote)]
    return tuple(DraftEvidence(span, passage.document.text[span.start : span.end]) for span in spans)


def _mended(
    questions: Sequence[DraftQuestion], better: WrittenPair, evidence: tuple[DraftEvidence, ...]
) -> tuple[DraftQuestion, ...]:
    """Return the questions with what is better; without a twin of its own it is both. No slip is put in again."""
    texts = {"simple": better.question.strip(), "complex": better.twin.strip() or better.question.strip()}
    return tuple(
        replace(each, text=texts[each.kind], references=better.references, evidence=evidence, error="")
        for each in questions
    )
