"""ChatModel: asks any chat model one prompt, streaming or whole, with retries, timings, tokens and cost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any

from rag_pipeline.llm import langchain_models, openai_protocol
from rag_pipeline.llm.call_settings import CallSettings
from rag_pipeline.llm.failures import ExplainedErrors, ModelCallError, broken_off, garbage
from rag_pipeline.llm.gate import Gate, Ticket, gate_of
from rag_pipeline.llm.message import Heed, Message, Tokens
from rag_pipeline.llm.prices import cost_usd
from rag_pipeline.llm.replies import FILTERED, Reply, kept_replies, key_of
from rag_pipeline.llm.retry import Retry
from rag_pipeline.llm.target import LOCAL, OPENAI, Target
from rag_pipeline.llm.wording import Pieces, storable, without_thoughts
from rag_pipeline.local_models.chat_weights import weights_state
from rag_pipeline.runtime import ModelLimits, ReplyStore, configured_limits, configured_replies
from rag_pipeline.types import Usage

CUT_OFF = frozenset({"length", "max_tokens", "MAX_TOKENS"})
"""Providers' words for an answer that ended at the longest one allowed."""
_LOCAL_S = 900.0
"""Longest wait for a model that runs here: its first answer may have to load it."""
_CALLS = frozenset({"tool_calls", "function_call", "tool_use"})

# The same words for all answers of a run, which shows each note once; how often stands in the reply.
_RETRIED = "A call failed and was tried again: the provider was busy, silent or broke off."


class ChatModel:
    """A chat model by its two names. Safe to use from several event loops, one after the other or at once.

    `settings` are those of the next call: what the model rejects is left out of all later ones. `replies`: where
    replies are kept by content, those of the app unless others are given.
    """

    def __init__(
        self,
        provider: str,
        name: str,
        *,
        temperature: float | None = 0.0,
        max_tokens: int | None = 512,
        limits: ModelLimits | None = None,
        replies: ReplyStore | None = None,
    ) -> None:
        self.target = Target.create(provider, name)
        self.limits = _patient(self.target, limits or configured_limits())
        self.settings = CallSettings(temperature=temperature, max_tokens=max_tokens)
        self._wanted = (temperature, max_tokens)
        self._replies = configured_replies() if replies is None else replies

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

    async def ask(self, prompt: str, *, streaming: bool = False) -> Reply:
        """Return the whole answer: the one that is kept, else a new one, which is kept if it can be used.

        `streaming` measures the time to the first token. One that breaks off is asked for again. Raises ProviderError.
        """
        return await self.once(prompt, None, lambda: self.ask_afresh(prompt, streaming=streaming))

    async def once(
        self, prompt: str, form: dict[str, Any] | None, ask: Callable[[], Awaitable[Reply]], repeat: int = 0
    ) -> Reply:
        """Return the reply that is kept for this content, else what `ask` returns, which is kept.

        Nothing is kept where no thread waits that could use the database (the chat page).
        """
        kept = kept_replies(self._replies)
        if kept is None:
            return await ask()
        place = self.target.base_url or self._weights()
        key = key_of(self.target.setting, place, *self._wanted, prompt, form, repeat)
        return await kept.once(key, ask)

    async def ask_afresh(
        self,
        prompt: str,
        *,
        json_schema: dict[str, Any] | None = None,
        streaming: bool = False,
        priority: float = 0.0,
    ) -> Reply:
        """Return a whole new answer; one that breaks off is asked for again. Raises ProviderError.

        `json_schema` asks for JSON of that form, where the server can; the caller checks the text in any case.
        Of the calls that wait to be sent, those of the highest `priority` go first.
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
        async with self._gate().call() as ticket, aclosing(self._streamed(prompt, sent, ticket)) as pieces:
            async for piece in pieces:
                yield piece

    async def _streamed(self, prompt: str, sent: CallSettings, ticket: Ticket) -> AsyncGenerator[str | Reply]:
        pieces, tokens = Pieces(), None
        finish, ttft_s, start = "", None, time.perf_counter()
        async with aclosing(self._messages(prompt, sent, ticket)) as messages:
            async for message in messages:
                tokens = message.tokens or tokens
                finish = message.finish or finish
                if text := pieces.add(message.text):
                    ttft_s = ttft_s if ttft_s is not None else time.perf_counter() - start
                    yield text
        self._check_ended(finish, pieces)
        latency_s = time.perf_counter() - start
        if text := pieces.rest():
            yield text
        yield self._reply(pieces.answer, tokens, finish, latency_s, ttft_s)

    async def _messages(self, prompt: str, sent: CallSettings, ticket: Ticket) -> AsyncGenerator[Message]:
        """Yield what the model sends; each wait is bounded, since a silent server would hold up the run for ever."""
        if self._is_openai:
            source = openai_protocol.pieces(self.target, prompt, sent, self.limits, self._heed(ticket))
        else:
            source = langchain_models.pieces(self.target, prompt, sent, self.limits)
        async with aclosing(source) as messages:
            while True:
                with ExplainedErrors(self.target, self.limits.timeout_s):
                    async with asyncio.timeout(self.limits.timeout_s):
                        message = await anext(messages, None)
                if message is None:
                    return
                yield message

    async def _invoke_once(
        self, prompt: str, sent: CallSettings, json_schema: dict[str, Any] | None, priority: float
    ) -> Reply:
        async with self._gate().call(priority) as ticket:
            start = time.perf_counter()
            with ExplainedErrors(self.target, self.limits.timeout_s):
                async with asyncio.timeout(self.limits.timeout_s):
                    message = await self._invoked(prompt, sent, json_schema, self._heed(ticket))
            answer = without_thoughts(storable(message.text))
            return self._reply(answer, message.tokens, message.finish, time.perf_counter() - start, None)

    def _invoked(
        self, prompt: str, sent: CallSettings, json_schema: dict[str, Any] | None, heed: Heed
    ) -> Awaitable[Message]:
        if not self._is_openai:
            return langchain_models.complete(self.target, prompt, sent, self.limits)
        return openai_protocol.complete(self.target, prompt, sent, self.limits, heed, json_schema)

    def _weights(self) -> str:
        """Return the state of the weights that run here: others under the same name give other replies."""
        return weights_state(self.target.name) if self.target.provider == LOCAL else ""

    def _gate(self) -> Gate:
        return gate_of(self.target, self.limits.concurrency)

    def _heed(self, ticket: Ticket) -> Heed:
        return partial(self._gate().heed, ticket)

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

    def _reply(self, text: str, tokens: Tokens | None, finish: str, latency_s: float, ttft_s: float | None) -> Reply:
        return Reply(
            text=text,
            usage=self._usage(tokens, wrote=bool(text)),
            latency_s=latency_s,
            ttft_s=ttft_s,
            finish=finish,
            notes=(*self.settings.notes, *_finish_notes(text, finish)),
        )

    def _usage(self, tokens: Tokens | None, *, wrote: bool) -> Usage:
        if tokens is None:
            return Usage()
        prompt, completion = tokens.prompt, None if wrote and not tokens.completion else tokens.completion
        if prompt is None or completion is None:
            return Usage(prompt, completion)
        cost = cost_usd(
            self.target, prompt, completion, cached_tokens=tokens.cached, prices_file=self.limits.prices_file
        )
        return Usage(prompt, completion, cost)

    def _finished(self, reply: Reply, retry: Retry) -> Reply:
        if retry.attempts == 1:
            return reply
        return replace(reply, notes=(*reply.notes, _RETRIED), attempts=retry.attempts, waited_s=retry.waited_s)


def _patient(target: Target, limits: ModelLimits) -> ModelLimits:
    """Return the limits of a target: a model that runs here is asked one thing at a time, and may take its time."""
    if target.provider != LOCAL:
        return limits
    return replace(limits, concurrency=1, timeout_s=max(limits.timeout_s, _LOCAL_S))


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
