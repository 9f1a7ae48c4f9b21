"""Runs a block of questions through a pipeline and hands each trace back as soon as it is there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing

from rag_pipeline.llm.loop_thread import iterate_blocking
from rag_pipeline.pipeline.pipeline import Pipeline
from rag_pipeline.types import Query, Trace


def run_block(pipeline: Pipeline, questions: Sequence[str | Query]) -> Iterator[tuple[int, Trace]]:
    """Yield (position, trace) as questions finish. Closing the iterator cancels the calls in flight.

    Not to be called from an event loop: the answers come from the one of all model calls. Raises ProviderError when
    retrieval fails, WorkInterruptedError when the surrounding work is cancelled, however long the model is silent.
    """

    async def answers() -> AsyncIterator[tuple[int, Trace]]:
        try:
            async with aclosing(pipeline.answer_many(questions)) as coming:
                async for each in coming:
                    yield each
        finally:
            await pipeline.generator.aclose()

    return iterate_blocking(answers)
