"""The pipeline: questions to traces, stage by stage over blocks of questions."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from rag_pipeline.errors import PipelineError
from rag_pipeline.generators.base import Generator
from rag_pipeline.pipeline.retrieval import Retrieval, Retrieved, contexts_of
from rag_pipeline.settings import prompt_templates as prompts
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Generation, GenerationRequest, Query, SourceDoc, Trace


class Pipeline:
    """Answers questions from documents as a spec says. `retrieval` is None when no context is used.

    A question is a text, or a `Query` that also carries what only an evaluation knows.
    """

    def __init__(
        self, spec: PipelineSpec, documents: Sequence[SourceDoc], retrieval: Retrieval | None, generator: Generator
    ) -> None:
        self.spec = spec
        self.documents = retrieval.documents if retrieval is not None else {doc.id: doc for doc in documents}
        self.retrieval = retrieval
        self.generator = generator

    async def retrieve_many(self, questions: Sequence[str | Query]) -> list[Retrieved]:
        """Return what is found for each question; one that failed carries its error. Raises ProviderError."""
        queries = [Query(question) if isinstance(question, str) else question for question in questions]
        if self.retrieval is not None:
            return await self.retrieval.retrieve_many(queries)
        return [Retrieved.given(query) for query in queries]

    async def answer_many(self, questions: Sequence[str | Query]) -> AsyncGenerator[tuple[int, Trace]]:
        """Yield (position, trace) as each question finishes. Failures are traces with `error`.

        After a permanent failure the questions not yet sent are left out. Raises ProviderError when retrieval fails.
        """
        async with aclosing(self.answer_found(questions, await self.retrieve_many(questions))) as coming:
            async for each in coming:
                yield each

    async def answer_found(
        self, questions: Sequence[str | Query], found: Sequence[Retrieved]
    ) -> AsyncGenerator[tuple[int, Trace]]:
        """Do as `answer_many` does with what was retrieved already."""
        requests, places = [], []
        for position, (question, each) in enumerate(zip(questions, found, strict=True)):
            if each.error is not None:
                yield position, self.trace(self.request(text_of(question), Retrieved()), each, each.error)
            else:
                requests.append(self.request(text_of(question), each))
                places.append(position)
        async for number, result in self.generator.generate_many(requests):
            yield places[number], self.trace(requests[number], found[places[number]], result)

    async def answer_stream(self, question: str | Query) -> AsyncGenerator[str | Trace]:
        """Yield pieces of the answer as they come, then the trace. Raises PipelineError."""
        found = (await self.retrieve_many([question]))[0]
        if found.error is not None:
            raise found.error
        request = self.request(text_of(question), found)
        async for piece in self.generator.stream(request):
            yield self.trace(request, found, piece) if isinstance(piece, Generation) else piece

    def request(self, question: str, found: Retrieved) -> GenerationRequest:
        """Fill the prompt for one question."""
        core = self.spec.core
        template = core.prompt if core.use_context else core.prompt_without_context
        contexts = contexts_of(found.hits, self.documents, found.passages)
        prompt = prompts.fill(template, question=question, contexts=contexts, refusal=core.refusal)
        return GenerationRequest(question, contexts, prompt, template, core.refusal, core.use_context)

    @staticmethod
    def trace(request: GenerationRequest, found: Retrieved, result: Generation | PipelineError) -> Trace:
        """Return the trace of a finished or failed question; the model calls of retrieval count."""
        base = Trace(
            question=request.question,
            answer="",
            contexts=request.contexts,
            prompt=request.prompt,
            retrieval_s=found.seconds,
            retrieval_usage=found.usage,
            queries=found.queries,
            steps=found.steps,
            notes=found.notes,
            passages=found.passages,
        )
        if isinstance(result, PipelineError):
            return replace(base, error=str(result), permanent=bool(getattr(result, "permanent", False)))
        return replace(
            base,
            answer=result.text,
            latency_s=found.seconds + result.latency_s,
            ttft_s=None if result.ttft_s is None else found.seconds + result.ttft_s,
            usage=found.usage + result.usage,
            notes=(*found.notes, *result.notes),
            details=result.details | _own_tokens(found, result),
        )


def _own_tokens(found: Retrieved, result: Generation) -> dict[str, int]:
    """Return how many tokens the answer alone has, where retrieval asked a model too: the usage is that of both."""
    own = result.usage.completion_tokens
    return {"answer_tokens": own} if found.usage.completion_tokens and own is not None else {}


def text_of(question: str | Query) -> str:
    """Return the question in the user's words."""
    return question if isinstance(question, str) else question.text
