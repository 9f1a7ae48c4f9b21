"""ChatModel: asks any chat model one prompt, streaming or whole, with retries, timings, tokens and cost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from rag_pipeline.llm.call_settings import CallSettings
from rag_pipeline.llm.connect import connect
from rag_pipeline.llm.failures import ExplainedErrors, ModelCallError, broken_off, garbage
from rag_pipeline.llm.gate import Gate, gate_of
from rag_pipeline.llm.loop_thread import iterate_there, run_there
from rag_pipeline.llm.prices import cost_usd
from rag_pipeline.llm.retry import Retry
from rag_pipeline.llm.target import OPENAI, Target
from rag_pipeline.llm.wording import Pieces, storable, without_thoughts
from rag_pipeline.runtime import ModelLimits, configured_limits
from rag_pipeline.types import Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, AIMessageChunk
    from langchain_core.messages.ai import UsageMetadata

CUT_OFF = frozenset({"length", "max_tokens", "MAX_TOKENS"})
"""Providers' words for an answer that ended at the longest one allowed."""
FILTERED = frozenset({"content_filter", "SAFETY"})
"""Their words for one that was stopped for what it says."""
_CALLS = frozenset({"tool_calls", "function_call", "tool_use"})
_MOST_TOKENS = 2**31 - 1

# The same words for all answers of a run, which shows each note once; how often stands in the reply.
_RETRIED = "A call failed and was tried again: the provider was busy, silent or broke off."


@dataclass(frozen=True, slots=True)
class Reply:
    """A finished answer of a model.

    `latency_s` and `ttft_s` are those of the attempt that succeeded; `waited_s` were spent between attempts.
    `finish` is the provider's word for why it ended (`stop`, `length` ...).
    """

    text: str
    usage: Usage
    latency_s: float
    ttft_s: float | None = None
    finish: str = ""
    notes: tuple[str, ...] = ()
    attempts: int = 1
    waited_s: float = 0.0


class ChatModel:
    """A chat model by its two names. Safe to use from several event loops, one after the other or at once.

    `settings` are those of the next call: what the model rejects is left out of all later ones.
    """

    def __init__(
        self,
        provider: str,
        name: str,
        *,
        temperature: float | None = 0.0,
        max_tokens: int | None = 512,
        limits: ModelLimits | None = None,
    ) -> None:
        self.target = Target.create(provider, name)
        self.limits = limits or configured_limits()
        self.settings = CallSettings(temperature=temperature, max_tokens=max_tokens)

    async def stream(self, prompt: str) -> AsyncGenerator[str | Reply]:
        """Yield pieces of the answer, then the Reply. An answer that breaks off after its first piece is an error."""
        retry = Retry(self.limits, self._gate())
        while True:
            delivered, sent = False, self.settings
            try:
                async with aclosing(self._stream_once(prompt, sent)) as pieces:
                    async for piece in pieces:
                        delivered = True
                        yield self._finished(piece, retry) if isinstance(piece, Reply) else piece
                return
            except ModelCallError as failure:
                if delivered:
                    raise
                if not self._leave_out(failure.parameter, sent):
                    await retry.wait(failure)

    async def ask(
        self,
        prompt: str,
        *,
        json_schema: dict[str, Any] | None = None,
        streaming: bool = False,
        priority: float = 0.0,
    ) -> Reply:
        """Return the whole answer; one that breaks off is asked for again.

        `json_schema` asks for JSON of that form, where the server can; the caller checks the text in any case.
        `streaming` measures the time to the first token. Of the calls that wait to be sent, those of the highest
        `priority` go first.
        """
        retry, schema = Retry(self.limits, self._gate()), json_schema
        while True:
            sent = self.settings
            try:
                call = self._collect(prompt, sent) if streaming else self._invoke_once(prompt, sent, schema, priority)
                reply = self._finished(await call, retry)
                if schema is not json_schema:  # it was the schema that the server did not take
                    self._leave_out("response_format", sent)
                return reply
            except ModelCallError as failure:
                if failure.refused and not failure.parameter and schema and sent.json_schema:
                    schema = None  # servers reject a schema in many words: without it is tried first
                elif not self._leave_out(failure.parameter, sent):
                    await retry.wait(failure)

    async def _collect(self, prompt: str, sent: CallSettings) -> Reply:
        async with aclosing(self._stream_once(prompt, sent)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Reply):
                    return piece
        raise broken_off(self.target)

    async def _stream_once(self, prompt: str, sent: CallSettings) -> AsyncGenerator[str | Reply]:
        """Yield the pieces of one attempt, then its Reply; it holds a place of the gate until it has ended."""
        async with self._gate().call(), aclosing(self._streamed(prompt, sent)) as pieces:
            async for piece in pieces:
                yield piece

    async def _streamed(self, prompt: str, sent: CallSettings) -> AsyncGenerator[str | Reply]:
        model = await self._model(sent)
        usage = _UsageCounter(cumulative=self._is_openai)
        pieces = Pieces()
        finish, ttft_s, start = "", None, time.perf_counter()
        async with aclosing(self._chunks(model, prompt)) as chunks:
            async for chunk in chunks:
                usage.add(chunk)
                finish = _finish(chunk) or finish
                if text := pieces.add(str(chunk.text)):
                    ttft_s = ttft_s if ttft_s is not None else time.perf_counter() - start
                    yield text
        self._check_ended(finish, pieces)
        latency_s = time.perf_counter() - start
        if text := pieces.rest():
            yield text
        yield self._reply(pieces.answer, usage.total, finish, latency_s, ttft_s)

    async def _chunks(self, model: BaseChatModel, prompt: str) -> AsyncGenerator[AIMessageChunk]:
        """Yield what the model sends; each wait is bounded, since a silent server would hold up the run for ever."""

        def start() -> AsyncIterator[AIMessageChunk]:
            return model.astream(prompt)

        # Clients of other providers are bound to the first loop that used them: they get one that never ends.
        source = start() if self._is_openai else iterate_there(start)
        async with aclosing(cast("AsyncGenerator[AIMessageChunk]", source)) as chunks:
            while True:
                with ExplainedErrors(self.target, self.limits.timeout_s):
                    async with asyncio.timeout(self.limits.timeout_s):
                        chunk = await anext(chunks, None)
                if chunk is None:
                    return
                yield chunk

    async def _invoke_once(
        self, prompt: str, sent: CallSettings, json_schema: dict[str, Any] | None, priority: float
    ) -> Reply:
        async with self._gate().call(priority):
            return await self._invoked(prompt, sent, json_schema)

    async def _invoked(self, prompt: str, sent: CallSettings, json_schema: dict[str, Any] | None) -> Reply:
        model = await self._model(sent)
        options: dict[str, Any] = {}
        if json_schema is not None and sent.json_schema and self._is_openai:
            # As a body of its own: the client refuses to hand out a reply of this form that was cut off.
            options["extra_body"] = {"response_format": _format(json_schema)}
        start = time.perf_counter()
        with ExplainedErrors(self.target, self.limits.timeout_s):
            async with asyncio.timeout(self.limits.timeout_s):
                call = model.ainvoke(prompt, **options)
                message = await (call if self._is_openai else run_there(call))
        latency_s = time.perf_counter() - start
        # Asked for a form, OpenAI's models decline in a field of its own.
        text = str(message.text) or str(message.additional_kwargs.get("refusal") or "")
        answer = without_thoughts(storable(text))
        return self._reply(answer, message.usage_metadata, _finish(message), latency_s, None)

    async def _model(self, sent: CallSettings) -> BaseChatModel:
        with ExplainedErrors(self.target, self.limits.timeout_s):
            model = await connect(self.target, sent, self.limits)
        if sent.temperature is not None and getattr(model, "temperature", sent.temperature) is None:
            self._leave_out("temperature", sent)  # LangChain knows that it is rejected
        return model

    def _gate(self) -> Gate:
        return gate_of(self.target, self.limits.concurrency)

    @property
    def _is_openai(self) -> bool:
        return self.target.provider == OPENAI

    def _leave_out(self, parameter: str, sent: CallSettings) -> bool:
        """Do without what the model rejected. False when that was nothing, or cannot be left out."""
        if not parameter:
            return False
        if self.settings is not sent:
            return True  # another call was refused at the same time and has changed the settings already
        changed = sent.without(parameter, self.target.name)
        self.settings = changed or sent
        return changed is not None

    def _check_ended(self, finish: str, pieces: Pieces) -> None:
        """A stream of OpenAI's protocol says why it ended; one that does not was cut."""
        if self._is_openai and not finish:
            raise broken_off(self.target) if pieces else garbage(self.target)

    def _reply(
        self, text: str, usage: UsageMetadata | None, finish: str, latency_s: float, ttft_s: float | None
    ) -> Reply:
        return Reply(
            text=text,
            usage=self._usage(usage, wrote=bool(text)),
            latency_s=latency_s,
            ttft_s=ttft_s,
            finish=finish,
            notes=(*self.settings.notes, *_finish_notes(text, finish)),
        )

    def _usage(self, usage: UsageMetadata | None, *, wrote: bool) -> Usage:
        if usage is None:
            return Usage()
        cached = _counted(usage.get("input_token_details", {}).get("cache_read", 0)) or 0
        # LangChain makes 0 of a number that is missing, and no prompt has none.
        prompt, completion = _counted(usage["input_tokens"]) or None, _counted(usage["output_tokens"])
        completion = None if wrote and not completion else completion
        if prompt is None or completion is None:
            return Usage(prompt, completion)
        cost = cost_usd(self.target, prompt, completion, cached_tokens=cached, prices_file=self.limits.prices_file)
        return Usage(prompt, completion, cost)

    def _finished(self, reply: Reply, retry: Retry) -> Reply:
        if retry.attempts == 1:
            return reply
        return replace(reply, notes=(*reply.notes, _RETRIED), attempts=retry.attempts, waited_s=retry.waited_s)


class _UsageCounter:
    """Tokens over the pieces of a stream: OpenAI's protocol repeats the total so far, others send parts to add."""

    def __init__(self, *, cumulative: bool) -> None:
        self._cumulative = cumulative
        self.total: UsageMetadata | None = None

    def add(self, chunk: AIMessage) -> None:
        from langchain_core.messages.ai import add_usage

        if chunk.usage_metadata:
            self.total = chunk.usage_metadata if self._cumulative else add_usage(self.total, chunk.usage_metadata)


def _counted(tokens: Any) -> int | None:
    """Return a number of tokens, None for what can be none."""
    return tokens if isinstance(tokens, int) and 0 <= tokens <= _MOST_TOKENS else None


def _finish(message: AIMessage) -> str:
    metadata = message.response_metadata
    return str(metadata.get("finish_reason") or metadata.get("stop_reason") or metadata.get("done_reason") or "")


def _finish_notes(text: str, finish: str) -> tuple[str, ...]:
    if finish in CUT_OFF:
        if text.strip():
            return ("The answer was cut off at the longest answer allowed (max_tokens).",)
        return ("The answer is empty: the model used up the longest answer allowed (max_tokens) before writing.",)
    if finish in FILTERED:
        return ("The provider's content filter stopped the answer.",)
    if finish in _CALLS and not text.strip():
        return ("The answer is empty: the model called a tool instead, and it was given none.",)
    return ()


def _format(json_schema: dict[str, Any]) -> dict[str, Any]:
    name = json_schema.get("title", "answer")
    return {"type": "json_schema", "json_schema": {"name": name, "schema": json_schema, "strict": True}}
