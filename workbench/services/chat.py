"""Chat: one question to the pipeline, streamed, stored, and told whether it declines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import asdict, dataclass
from typing import Any

from asgiref.sync import sync_to_async

from evaluation.models import Question
from evaluation.queries.steps import steps_view
from evaluation.refusal.detection import RefusalDetector
from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal
from rag_pipeline.errors import ConfigError, PipelineError
from rag_pipeline.models import Corpus
from rag_pipeline.pipeline.pipeline import Pipeline
from rag_pipeline.services.indexes import open_embedder
from rag_pipeline.services.pipelines import open_pipeline, prepare_pipeline
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Progress, Span, Trace
from workbench.display.answer_line import contexts_used
from workbench.display.reader_answer import READER
from workbench.ids import as_id
from workbench.models import Chat, ChatMessage
from workbench.services.current_settings import CurrentSettings, chosen_corpus, evaluated_settings

STOPPED = "Stopped before the answer was finished."
SHOWN = 30
"""Messages of a sitting that the page shows."""
SAMPLES = 3


@dataclass(frozen=True, slots=True)
class ChatStage:
    """What is being done before the first word comes, in the user's words."""

    text: str


Piece = ChatStage | str | ChatMessage


@dataclass(frozen=True)
class ChatSetup:
    """What a message is answered with; `problem` says why a chosen run cannot be used."""

    current: CurrentSettings
    corpus: Corpus | None
    problem: str = ""

    @property
    def run_id(self) -> int | None:
        """Id of the run whose pipeline answers."""
        return self.current.run.pk if self.current.run else None


def chat_setup(run: str | None) -> ChatSetup:
    """Return what answers: the run with this id, else the latest evaluated pipeline, else preferences or defaults."""
    problem = ""
    try:
        current = evaluated_settings(run_id=as_id(run) if run else None)
    except ConfigError as error:
        current, problem = evaluated_settings(), str(error)
    return ChatSetup(current, current.run.corpus if current.run else chosen_corpus(), problem)


def sample_questions(setup: ChatSetup) -> list[str]:
    """Return a few questions of the run's test set, to begin with."""
    if setup.current.run is None:
        return []
    asked = Question.objects.filter(testset=setup.current.run.testset_id, kind=Question.Kind.SIMPLE)
    return list(asked.exclude(status=Question.Status.REJECTED).values_list("text", flat=True)[:SAMPLES])


def open_chat(*, chat_id: int | None, corpus: Corpus, run_id: int | None) -> Chat:
    """Return the sitting, or a new one when there is none for this corpus and run."""
    chat = Chat.objects.select_related("corpus").filter(pk=chat_id or 0, corpus=corpus, run=run_id).first()
    return chat or Chat.objects.create(corpus=corpus, run_id=run_id)


def start_message(*, chat: Chat, question: str, spec: PipelineSpec) -> ChatMessage:
    """Store the question; its answer follows."""
    return ChatMessage.objects.create(chat=chat, question=question, pipeline=spec.settings)


async def answer_message(
    *,
    message: ChatMessage,
    spec: PipelineSpec,
    evaluation: EvaluationSpec,
    document: int | None = None,
    building: AbstractAsyncContextManager[Any] | None = None,
) -> AsyncGenerator[Piece]:
    """Yield stages, then pieces of the answer, then the stored message. `document`: the id of one to look in alone.

    `building`: what is held while the index is made ready, by those who answer at the same time.
    An expected failure is stored with the message and not raised; whoever stops reading stores what has come so far.
    """
    parts: list[str] = []
    pipeline: Pipeline | None = None
    try:
        corpus = message.chat.corpus
        async with building or nullcontext():
            async for stage in _building(corpus, spec):
                yield stage
        only = None if document is None else {document}
        pipeline = await sync_to_async(open_pipeline)(corpus=corpus, spec=spec, only=only)
        yield ChatStage("Reading the documents" if spec.core.use_context else "Asking the model")
        async with aclosing(pipeline.answer_stream(message.question)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Trace):
                    await _finish(message, piece, pipeline, evaluation)
                else:
                    parts.append(piece)
                    yield piece
    except PipelineError as error:
        message.answer, message.error = "".join(parts), str(error)
    except (asyncio.CancelledError, GeneratorExit):
        message.answer, message.error = "".join(parts), STOPPED
        await sync_to_async(_save)(message)
        raise
    finally:
        if pipeline is not None:
            await pipeline.generator.aclose()
    await sync_to_async(_save)(message)
    yield message


async def answer_whole(
    *, message: ChatMessage, spec: PipelineSpec, evaluation: EvaluationSpec, document: int | None = None
) -> ChatMessage:
    """Answer without streaming; return the stored message."""
    async for _ in answer_message(message=message, spec=spec, evaluation=evaluation, document=document):
        pass
    return message


async def _building(corpus: Corpus, spec: PipelineSpec) -> AsyncIterator[ChatStage]:
    """Load the model and build the index where it is missing, telling how far it is."""
    if not spec.core.use_context:
        return
    yield ChatStage("Loading the model and the index")
    steps = prepare_pipeline(corpus=corpus, spec=spec)
    while (step := await sync_to_async(_next)(steps)) is not None:
        if step.total:
            yield ChatStage(f"{step.step}: {step.done:,} of {step.total:,}")


def _next(steps: Iterator[Progress]) -> Progress | None:
    return next(steps, None)


async def _finish(message: ChatMessage, trace: Trace, pipeline: Pipeline, evaluation: EvaluationSpec) -> None:
    """Put the trace into the message, with whether the answer declines."""
    message.answer, message.error = trace.answer, trace.error
    refusal = None if trace.error else await sync_to_async(_classify)(trace.answer, pipeline.spec, evaluation)
    message.refused = (refusal.rule or "yes") if refusal and refusal.refused else ""
    steps = steps_view(trace.steps, trace.contexts, pipeline.documents, top_k=pipeline.spec.core.top_k)
    reader = _with_page(trace.details.get(READER), pipeline)
    message.trace = _stored(trace, refusal) | {"steps": asdict(steps) if steps else None, READER: reader}


def _classify(answer: str, spec: PipelineSpec, evaluation: EvaluationSpec) -> Refusal:
    embedder = open_embedder(evaluation.eval_embedding)
    detector = RefusalDetector(embedder.embed_passages, evaluation, spec.core.refusal, embedder.reads)
    return detector.classify_many([answer])[0]


def _stored(trace: Trace, refusal: Refusal | None) -> dict[str, Any]:
    """Return a trace as JSON. Texts are kept: a chat is small, and outlives its documents."""
    used = _used(trace)
    return {
        "contexts": [
            context.as_json() | {"text": context.text, "used": context.rank in used} for context in trace.contexts
        ],
        "used": used,
        "prompt": trace.prompt,
        "latency_s": trace.latency_s,
        "ttft_s": trace.ttft_s,
        "prompt_tokens": trace.usage.prompt_tokens,
        "completion_tokens": trace.usage.completion_tokens,
        "cost_usd": trace.usage.cost_usd,
        "notes": list(trace.notes),
        "queries": list(trace.searched_for),
        "refusal": {"label": refusal.label, "rule": refusal.rule, "detail": refusal.detail} if refusal else {},
    }


def _used(trace: Trace) -> list[int]:
    """Return the ranks of the contexts that the answer comes from: the built-in reader knows, else by the words."""
    reader = trace.details.get(READER, {})
    if "answer_start" not in reader:
        return contexts_used(trace.answer, [context.text for context in trace.contexts])
    answer = Span(reader["document_id"], reader["answer_start"], reader["answer_end"])
    return [] if reader["declined"] else [each.rank for each in trace.contexts if each.span.holds(answer)]


def _with_page(reader: dict[str, Any] | None, pipeline: Pipeline) -> dict[str, Any] | None:
    """Return the reader's details with the page on which its sentence begins."""
    if not reader or "document_id" not in reader:
        return reader
    place = Span.from_json(reader)
    return reader | {"page": pipeline.documents[place.document_id].page_at(place.start)}


def _save(message: ChatMessage) -> None:
    message.save(update_fields=["answer", "error", "refused", "trace"])
