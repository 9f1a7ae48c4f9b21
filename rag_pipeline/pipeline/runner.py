"""Runs a block of questions through a pipeline and hands each trace back as soon as it is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextvars import Context

from rag_pipeline.interruption import raise_if_interrupted
from rag_pipeline.pipeline.pipeline import Pipeline
from rag_pipeline.types import Query, Trace

_Answered = tuple[int, Trace]
_LOOK_UP_S = 0.5


def run_block(pipeline: Pipeline, questions: Sequence[str | Query], concurrency: int) -> Iterator[tuple[int, Trace]]:
    """Yield (position, trace) as questions finish. Closing the iterator cancels the calls in flight.

    Runs an event loop of its own, so it must not be called from one. Raises ProviderError when retrieval fails,
    WorkInterruptedError when the surrounding work is cancelled, however long the model is silent.
    """
    inside = Context()  # an empty one: in the loop and its threads nobody asks whether to go on
    with asyncio.Runner() as runner:
        answers = pipeline.answer_many(questions, concurrency)
        coming: asyncio.Future[_Answered | None] | None = None
        try:
            while True:
                coming = runner.run(_begin(answers), context=inside)
                while not runner.run(_ended(coming), context=inside):
                    raise_if_interrupted()  # outside the loop: it asks the database
                answered = coming.result()
                if answered is None:
                    break
                yield answered
        finally:
            runner.run(_close(pipeline, answers, coming), context=inside)


async def _begin(answers: AsyncIterator[_Answered]) -> asyncio.Future[_Answered | None]:
    return asyncio.ensure_future(anext(answers, None))


async def _ended(coming: asyncio.Future[_Answered | None]) -> bool:
    """Wait a moment; return whether the next answer has come."""
    ended, _ = await asyncio.wait([coming], timeout=_LOOK_UP_S)
    return bool(ended)


async def _close(pipeline: Pipeline, answers: object, coming: asyncio.Future[_Answered | None] | None) -> None:
    if coming is not None and not coming.done():
        coming.cancel()
        await asyncio.wait([coming])
    await answers.aclose()  # type: ignore[attr-defined]
    await pipeline.generator.aclose()
