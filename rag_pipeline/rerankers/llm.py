"""Reranking by a chat model that orders numbered passages, in windows from the end of the list to its beginning.

After Sun et al., "Is ChatGPT Good at Search? Investigating Large Language Models as Re-Ranking Agents" (EMNLP 2023):
the best of a window move on into the next, so that the last window of calls brings the best to the top.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rag_pipeline.errors import PipelineError
from rag_pipeline.prompt_files import fill_prompt, read_prompt
from rag_pipeline.rerankers.base import Reranked, Reranker, RerankOptions, rerankers
from rag_pipeline.types import Context

WINDOW = 10
STEP = 5
LONGEST_PASSAGE = 1500
"""Characters of a passage in the prompt."""
_CHAIN = re.compile(r"\[?\d+\]?(?:\s*>\s*\[?\d+\]?)+")
_BRACKETED = re.compile(r"\[\s*(\d+)\s*\]")
_NUMBER = re.compile(r"\d+")
_NOT_ORDERED = "A reply of the model that reranks named no passage: those passages kept their order."
_INCOMPLETE = "A reply of the model that reranks left passages out: they were put after the others, in their old order."


@rerankers.register
class LlmReranker(Reranker):
    """Asks the chosen model for the order. Scores are 1 / rank: a permutation has no others."""

    key = "llm"
    label = "The chosen model (listwise)"
    help = "The chat model orders the candidates itself: strong on questions that need reasoning; costs calls and time."
    needs_model = True

    @classmethod
    def calls(cls, options: object) -> int:
        """Return how many calls one question takes at most."""
        candidates = options.rerank_candidates if isinstance(options, RerankOptions) else 0
        return len(list(windows(candidates)))

    async def rerank_many(
        self, questions: Sequence[str], candidates: Sequence[Sequence[Context]]
    ) -> Sequence[Reranked | PipelineError]:
        """Order the candidates of each question, all at once."""

        async def one(question: str, contexts: Sequence[Context]) -> Reranked | PipelineError:
            try:
                return await self._order(question, contexts)
            except PipelineError as error:
                return error

        return await asyncio.gather(*(one(*each) for each in zip(questions, candidates, strict=True)))

    async def _order(self, question: str, contexts: Sequence[Context]) -> Reranked:
        """Return the order of one question's candidates. Raises ProviderError."""
        started = time.perf_counter()
        order = list(range(len(contexts)))
        result = Reranked((), ())
        notes: list[str] = []
        for start, end in windows(len(order)):
            assert self.complete is not None, "settings without a chat model are refused before"
            window = order[start:end]
            reply = await self.complete(order_prompt(question, [contexts[place] for place in window]))
            permutation, note = read_order(reply.text, len(window))
            order[start:end] = [window[place] for place in permutation]
            result = replace(result, usage=result.usage + reply.usage)
            notes += [*reply.notes, *([note] if note else [])]
        scores = tuple(1 / rank for rank in range(1, len(order) + 1))
        seconds = time.perf_counter() - started
        return replace(result, order=tuple(order), scores=scores, seconds=seconds, notes=tuple(dict.fromkeys(notes)))


def windows(count: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the windows over `count` passages, the last first; none where there is nothing to order."""
    end = count
    while end > 1:
        start = max(0, end - WINDOW)
        yield start, end
        end = end - STEP if start else 0


def order_prompt(question: str, contexts: Sequence[Context]) -> str:
    """Return the prompt that asks for the order of passages, numbered from 1."""
    passages = "\n\n".join(f"[{number}] {_passage(context.text)}" for number, context in enumerate(contexts, 1))
    values = {"count": str(len(contexts)), "question": question, "passages": passages}
    return fill_prompt(read_prompt("rag_pipeline", "rerankers/order_passages"), values)


def read_order(reply: str, count: int) -> tuple[list[int], str]:
    """Return positions 0..count-1, each once, as the reply orders them, and a note on what was wrong with it.

    The longest chain `[2] > [1]` counts, else all numbers in brackets, else all numbers. Of repeated ones the first
    stays, unknown ones are dropped, missing ones follow in their old order.
    """
    named = [number - 1 for number in _numbers(reply) if 1 <= number <= count]
    order = list(dict.fromkeys(named))
    note = "" if len(order) == count else (_INCOMPLETE if order else _NOT_ORDERED)
    return [*order, *(place for place in range(count) if place not in order)], note


def _numbers(reply: str) -> list[int]:
    chains = [_NUMBER.findall(chain) for chain in _CHAIN.findall(reply)]
    found = max(reversed(chains), key=len, default=[]) or _BRACKETED.findall(reply) or _NUMBER.findall(reply)
    return [int(number) for number in found if len(number) < 10]


def _passage(text: str) -> str:
    """Return a passage on one line, cut to a limit; its own `[1]` become `(1)`, not to be taken for a passage's."""
    line = _BRACKETED.sub(r"(\1)", " ".join(text.split()))
    return line if len(line) <= LONGEST_PASSAGE else f"{line[: LONGEST_PASSAGE - 1]}…"
