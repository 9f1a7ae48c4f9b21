"""Runs a block of questions through a pipeline and hands each trace back as soon as it is there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing

from rag_pipeline.llm.loop_thread import as_they_come, batches_blocking
from rag_pipeline.llm.replies import asking
from rag_pipeline.pipeline.pipeline import Pipeline
from rag_pipeline.types import Query, Trace


def run_block(
    pipeline: Pipeline, questions: Sequence[Query], *, afresh: bool = False
) -> Iterator[list[tuple[int, Trace]]]:
    """Yield (position, trace) of the questions that have finished, as they do. Closing it cancels calls in flight.

    A model that was asked the same before is not asked again, unless all is to be `afresh`; the repeats of a question
    have replies of their own. Not to be called from an event loop: the answers come from the one of all model calls.
    Raises ProviderError when retrieval fails, WorkInterruptedError when the surrounding work is cancelled, however
    long the model is silent.
    """

    async def of_repeat(repeat: int) -> AsyncIterator[tuple[int, Trace]]:
        places = [position for position, query in enumerate(questions) if query.repeat == repeat]
        with asking(repeat, afresh=afresh):
            async with aclosing(pipeline.answer_many([questions[place] for place in places])) as coming:
                async for position, trace in coming:
                    yield places[position], trace

    async def answers() -> AsyncIterator[tuple[int, Trace]]:
        try:
            repeats = sorted({query.repeat for query in questions})
            async with aclosing(as_they_come([of_repeat(repeat) for repeat in repeats])) as coming:
                async for each in coming:
                    yield each
        finally:
            await pipeline.generator.aclose()

    return batches_blocking(answers)
