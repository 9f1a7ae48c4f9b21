"""Runs blocks of questions through pipelines and hands each trace back as soon as it is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Container, Iterator, Sequence
from contextlib import aclosing

from rag_pipeline.errors import PipelineError
from rag_pipeline.llm.loop_thread import as_they_come, batches_blocking
from rag_pipeline.llm.replies import asking
from rag_pipeline.pipeline.pipeline import Pipeline
from rag_pipeline.pipeline.retrieval import Retrieved
from rag_pipeline.setting_fields import Stage
from rag_pipeline.types import Query, Trace

Block = tuple[Pipeline, Sequence[Query]]


def run_block(
    pipeline: Pipeline, questions: Sequence[Query], *, afresh: bool = False
) -> Iterator[list[tuple[int, Trace]]]:
    """Yield (position, trace) of the questions that have finished, as they do. Closing it cancels calls in flight.

    A model that was asked the same before is not asked again, unless all is to be `afresh`; the repeats of a question
    have replies of their own. Not to be called from an event loop: the answers come from the one of all model calls.
    Raises ProviderError when retrieval fails, WorkInterruptedError when the surrounding work is cancelled, however
    long the model is silent.
    """
    return batches_blocking(lambda: _answers(pipeline, questions, _Retrievals(), afresh=afresh))


def run_blocks(
    blocks: Sequence[Block], *, afresh: bool = False, ended: Container[int] = ()
) -> Iterator[list[tuple[int, int, Trace]]]:
    """Yield (block, position, trace) of several pipelines' questions, all asked at once; see `run_block`.

    Pipelines that retrieve alike retrieve once. A block that fails as a whole ends alone and in silence: its questions
    are left unanswered, and whoever asks them again learns why. `ended`: blocks that are wanted no longer, which may
    grow meanwhile; each ends with the next answer, its calls in flight are cancelled.
    """
    shared = _Retrievals()

    async def of_block(number: int) -> AsyncIterator[tuple[int, int, Trace]]:
        pipeline, questions = blocks[number]
        try:
            async with aclosing(_answers(pipeline, questions, shared, afresh=afresh)) as coming:
                async for position, trace in coming:
                    yield number, position, trace
                    if number in ended:
                        return
        except PipelineError:
            return

    return batches_blocking(lambda: as_they_come([of_block(number) for number in range(len(blocks))]))


class _Retrievals:
    """What was retrieved for some questions by pipelines that retrieve alike, once for all of them."""

    def __init__(self) -> None:
        self._begun: dict[tuple[str, tuple[Query, ...]], asyncio.Task[list[Retrieved]]] = {}

    async def of(self, pipeline: Pipeline, questions: Sequence[Query]) -> list[Retrieved]:
        key = (pipeline.spec.stage_fingerprint(Stage.RETRIEVAL), tuple(questions))
        if key not in self._begun:
            self._begun[key] = asyncio.ensure_future(pipeline.retrieve_many(questions))
        return await self._begun[key]


async def _answers(
    pipeline: Pipeline, questions: Sequence[Query], shared: _Retrievals, *, afresh: bool
) -> AsyncGenerator[tuple[int, Trace]]:
    """Yield (position, trace); the repeats of a question are asked at once."""

    async def of_repeat(repeat: int) -> AsyncIterator[tuple[int, Trace]]:
        places = [position for position, query in enumerate(questions) if query.repeat == repeat]
        asked = [questions[place] for place in places]
        with asking(repeat, afresh=afresh):
            found = await shared.of(pipeline, asked)
            async with aclosing(pipeline.answer_found(asked, found)) as coming:
                async for position, trace in coming:
                    yield places[position], trace

    try:
        repeats = sorted({query.repeat for query in questions})
        async with aclosing(as_they_come([of_repeat(repeat) for repeat in repeats])) as coming:
            async for each in coming:
                yield each
    finally:
        await pipeline.generator.aclose()
