"""Runs a block of questions through a pipeline and hands each trace back as soon as it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from rag_pipeline.pipeline import Pipeline
from rag_pipeline.types import Query, Trace


def run_block(pipeline: Pipeline, questions: Sequence[str | Query], concurrency: int) -> Iterator[tuple[int, Trace]]:
    """Yield (position, trace) as questions finish. Closing the iterator cancels the calls in flight.

    Runs an event loop of its own, so it must not be called from one. Raises ProviderError when retrieval fails.
    """
    with asyncio.Runner() as runner:
        answers = pipeline.answer_many(questions, concurrency)
        try:
            while True:
                try:
                    yield runner.run(anext(answers))  # type: ignore[arg-type]
                except StopAsyncIteration:
                    break
        finally:
            runner.run(_close(pipeline, answers))


async def _close(pipeline: Pipeline, answers: object) -> None:
    await answers.aclose()  # type: ignore[attr-defined]
    await pipeline.generator.aclose()
