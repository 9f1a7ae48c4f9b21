"""The pipeline: questions to traces, stage by stage over blocks of questions."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rag_pipeline import prompt as prompts
from rag_pipeline.errors import PipelineError
from rag_pipeline.generators.base import Generator
from rag_pipeline.retrievers.base import Retriever
from rag_pipeline.spec import PipelineSpec
from rag_pipeline.types import Context, Generation, GenerationRequest, Hit, Query, SourceDoc, Trace


@dataclass(frozen=True)
class Retrieved:
    """What retrieval found for one question, and the seconds it took (its share of the batch)."""

    hits: list[Hit]
    seconds: float


class Pipeline:
    """Answers questions from documents as a spec says. `retriever` is None when no context is used."""

    def __init__(
        self, spec: PipelineSpec, documents: Sequence[SourceDoc], retriever: Retriever | None, generator: Generator
    ) -> None:
        self.spec = spec
        self.documents = {doc.id: doc for doc in documents}
        self.retriever = retriever
        self.generator = generator

    def retrieve_many(self, questions: Sequence[str]) -> list[list[Hit]]:
        """Return the hits of each question, best first. Raises ProviderError."""
        if self.retriever is None:
            return [[] for _ in questions]
        return self.retriever.retrieve_many([Query(question) for question in questions], self.spec.core.top_k)

    async def answer_many(self, questions: Sequence[str], concurrency: int = 16) -> AsyncIterator[tuple[int, Trace]]:
        """Yield (position, trace) as each question finishes. Failures are traces with `error`.

        After a permanent failure the questions not yet sent are left out. Raises ProviderError when retrieval fails.
        """
        started = time.perf_counter()
        found = await asyncio.to_thread(self.retrieve_many, questions)
        share = (time.perf_counter() - started) / max(1, len(questions))
        requests = [self.request(question, hits) for question, hits in zip(questions, found, strict=True)]
        async for position, result in self.generator.generate_many(requests, concurrency):
            yield position, self.trace(requests[position], result, share)

    async def answer_stream(self, question: str) -> AsyncGenerator[str | Trace]:
        """Yield pieces of the answer as they come, then the trace. Raises PipelineError."""
        started = time.perf_counter()
        found = await asyncio.to_thread(self.retrieve_many, [question])
        request = self.request(question, found[0])
        retrieval_s = time.perf_counter() - started
        async for piece in self.generator.stream(request):
            yield self.trace(request, piece, retrieval_s) if isinstance(piece, Generation) else piece

    def request(self, question: str, hits: Sequence[Hit]) -> GenerationRequest:
        """Fill the prompt for one question."""
        core = self.spec.core
        template = core.prompt if core.use_context else core.prompt_without_context
        contexts = contexts_of(hits, self.documents)
        prompt = prompts.fill(template, question=question, contexts=contexts, refusal=core.refusal)
        return GenerationRequest(question, contexts, prompt, template, core.refusal, core.use_context)

    @staticmethod
    def trace(request: GenerationRequest, result: Generation | PipelineError, retrieval_s: float) -> Trace:
        """Return the trace of a finished or failed generation."""
        base = Trace(
            question=request.question,
            answer="",
            contexts=request.contexts,
            prompt=request.prompt,
            retrieval_s=retrieval_s,
        )
        if isinstance(result, PipelineError):
            return replace(base, error=str(result), permanent=bool(getattr(result, "permanent", False)))
        return replace(
            base,
            answer=result.text,
            latency_s=retrieval_s + result.latency_s,
            ttft_s=None if result.ttft_s is None else retrieval_s + result.ttft_s,
            usage=result.usage,
            notes=result.notes,
            details=result.details,
        )


def contexts_of(hits: Sequence[Hit], documents: Mapping[int, SourceDoc]) -> tuple[Context, ...]:
    """Return the text of each hit with document and page."""
    found = []
    for hit in hits:
        doc = documents[hit.span.document_id]
        text = doc.text[hit.span.start : hit.span.end]
        found.append(Context(hit.span, doc.name, text, hit.score, hit.rank, doc.page_at(hit.span.start)))
    return tuple(found)
