"""The judge: a language model that is asked for verdicts of a fixed form, each question of the same content once."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from evaluation.judge.forms import JudgeForm, NoMajorityError
from evaluation.judge.prompts import JudgePrompts
from rag_pipeline.errors import ProviderError
from rag_pipeline.llm.chat import CUT_OFF, FILTERED, ChatModel
from rag_pipeline.llm.circuit_breaker import CircuitBreaker
from rag_pipeline.llm.failures import ModelCallError
from rag_pipeline.llm.loop_thread import iterate_blocking
from rag_pipeline.llm.structured import read_form, strict_schema
from rag_pipeline.llm.tally import UsageTally

F = TypeVar("F", bound=JudgeForm)

LONGEST_REPLY = 4096
_MOST_FAILURES = 20
"""Failed calls in a row after which the judge counts as unusable."""
_MOST_UNUSABLE = 20
"""Questions in a row, by the same prompt, whose replies could not be used; every further one would cost three calls."""
_WORDINGS = (
    "",
    "\n\nDecide afresh and with care; go through the rules above one by one before you reply.",
    "\n\nRead everything above twice. Then reply as a second examiner would who has not seen any earlier reply.",
    "\n\nBe exact: look for what speaks against your first impression before you reply.",
    "\n\nReply as an examiner whose verdict is checked by others.",
)
"""What the later votes are asked on top: other words, so that they are not the same call again."""


class ReplyCache(Protocol):
    """Where replies are kept by the content of what was asked."""

    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the replies that are there, by key."""

    def put(self, key: str, model: str, reply: Mapping[str, Any]) -> None:
        """Keep a reply."""


def _accept(form: Any) -> str:
    return ""


@dataclass(frozen=True)
class Request(Generic[F]):
    """One question to the judge: the prompt called `prompt` with its `fields`, to be answered as `form`.

    `check` returns what is wrong with a reply of the right form, such as a verdict too few, or an empty string.
    """

    prompt: str
    form: type[F]
    fields: Mapping[str, str]
    check: Callable[[F], str] = field(default=_accept, compare=False)


@dataclass(frozen=True, slots=True)
class Unjudged:
    """No verdict, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Call(Generic[F]):
    """One vote on a request, as it is sent."""

    key: str
    text: str
    request: Request[F]


class Judge:
    """A chat model that judges at temperature 0. Not to be called from an event loop.

    `votes`: differently worded calls for each question, of which the majority counts. `concurrency`: calls at once.
    `lenient`: when it cannot be asked any more, what is not judged yet stays so with the reason, which is kept as
    `failure`, and nothing is raised: whoever asks has other things to do that must not be lost.
    """

    def __init__(
        self,
        model: ChatModel,
        prompts: JudgePrompts,
        cache: ReplyCache | None = None,
        *,
        votes: int = 1,
        concurrency: int = 16,
        lenient: bool = False,
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._cache = cache
        self._votes = votes
        self._concurrency = concurrency
        self._tally = UsageTally()
        self._cached = 0
        self._unjudged = 0
        self._breaker = CircuitBreaker(
            _MOST_FAILURES, "The judge failed {count} times in a row, so scoring was stopped."
        )
        self._unusable: Counter[str] = Counter()
        self._lenient = lenient
        self.failure: ProviderError | None = None

    @property
    def model(self) -> str:
        """The judge as `provider:model`."""
        return self._model.target.setting

    @property
    def used_prompts(self) -> dict[str, str]:
        """Text of the prompts that were filled so far, by name."""
        return dict(sorted(self._prompts.used.items()))

    @property
    def usage(self) -> dict[str, Any]:
        """What was asked: calls, verdicts from the cache, questions without one, tokens and cost (None if unknown)."""
        total = self._tally.total
        return {
            "calls": self._tally.calls,
            "cached": self._cached,
            "unjudged": self._unjudged,
            "prompt_tokens": total.prompt_tokens,
            "completion_tokens": total.completion_tokens,
            "cost_usd": total.cost_usd,
        }

    def ask_many(self, requests: Sequence[Request[F]]) -> list[F | Unjudged]:
        """Return the verdict on each request, in order. A reply that cannot be used is repaired, then asked for anew.

        Raises ProviderError when the judge cannot be asked at all, or fails again and again, unless it is `lenient`.
        """
        ballots = [self._calls(request) for request in requests]
        calls = {call.key: call for ballot in ballots for call in ballot}
        replies: dict[str, F | Unjudged] = self._known(calls)
        open_ones = [call for key, call in calls.items() if key not in replies]
        try:
            self._fill(replies, open_ones)
        except ProviderError as failure:
            if not self._lenient:
                raise
            self.failure = failure
        if self.failure is not None:
            silent = Unjudged(f"the judge could not be asked: {self.failure}")
            replies.update((key, silent) for key in calls if key not in replies)
        decided = [
            _decided(request.form, [replies[call.key] for call in ballot])
            for request, ballot in zip(requests, ballots, strict=True)
        ]
        self._unjudged += sum(isinstance(each, Unjudged) for each in decided)
        return decided

    def _fill(self, replies: dict[str, F | Unjudged], calls: Sequence[_Call[F]]) -> None:
        """Ask, unless the judge has failed for good, and keep what comes."""
        if self.failure is not None:
            return
        for call, reply in iterate_blocking(lambda: self._ask_all(calls)):
            replies[call.key] = reply
            if self._cache is not None and not isinstance(reply, Unjudged):
                self._cache.put(call.key, self.model, reply.model_dump(mode="json"))

    def _calls(self, request: Request[F]) -> list[_Call[F]]:
        text = self._prompts.fill(request.prompt, request.fields)
        votes = self._votes if request.form.voted else 1
        return [self._call(request, text, vote) for vote in range(votes)]

    def _call(self, request: Request[F], text: str, vote: int) -> _Call[F]:
        wording = _WORDINGS[vote % len(_WORDINGS)]
        target = self._model.target
        content = [target.setting, target.base_url, text, wording, vote, strict_schema(request.form)]
        key = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        return _Call(key, text + wording, request)

    def _known(self, calls: Mapping[str, _Call[F]]) -> dict[str, F | Unjudged]:
        kept = self._cache.get_many(list(calls)) if self._cache is not None else {}
        self._cached += len(kept)
        return {key: calls[key].request.form.model_validate(reply) for key, reply in kept.items()}

    async def _ask_all(self, calls: Sequence[_Call[F]]) -> AsyncIterator[tuple[_Call[F], F | Unjudged]]:
        """Yield replies as they come, `concurrency` calls at once; with the first failure the others are given up."""
        gate = asyncio.Semaphore(self._concurrency)

        async def one(call: _Call[F]) -> tuple[_Call[F], F | Unjudged]:
            async with gate:
                return call, await self._ask(call)

        tasks = [asyncio.ensure_future(one(call)) for call in calls]
        try:
            for ended in asyncio.as_completed(tasks):
                yield await ended
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, call: _Call[F]) -> F | Unjudged:
        """Return a reply that can be used: the first, one repaired, or one to the same question asked anew."""
        problem, prompt = "", call.request.prompt
        if self._unusable[prompt] >= _MOST_UNUSABLE:
            return Unjudged(
                f"the judge was not asked any more: none of its last {_MOST_UNUSABLE} replies to this prompt could be "
                "used. Choose another judge"
            )
        sent = call.text
        for attempt in range(3):
            try:
                text, problem = await self._text(sent, call.request.form)
            except ProviderError as failure:
                if not (isinstance(failure, ModelCallError) and failure.too_long):  # a fault of this text alone
                    self._breaker.record(failure)
                return Unjudged(f"the judge could not be asked: {failure}")
            self._breaker.record(None)
            found, wrong = read_form(text, call.request.form)
            wrong = wrong or (call.request.check(found) if found is not None else "")
            if found is not None and not wrong:
                self._unusable[prompt] = 0
                return found
            problem = problem or wrong
            sent = _repair(call.text, text, problem) if attempt == 0 else call.text
        self._unusable[prompt] += 1
        return Unjudged(f"the judge's reply could not be used, even repaired and asked for again: {problem}")

    async def _text(self, prompt: str, form: type[JudgeForm]) -> tuple[str, str]:
        """Return a reply, and that it was cut off or stopped where it was."""
        reply = await self._model.ask(prompt, json_schema=strict_schema(form))
        self._tally.add(reply.usage)
        if reply.finish in FILTERED:
            return reply.text, "The provider's content filter stopped it."
        return reply.text, f"It was cut off after {LONGEST_REPLY:,} tokens." if reply.finish in CUT_OFF else ""


def make_judge(
    setting: str,
    prompts: JudgePrompts,
    cache: ReplyCache | None,
    votes: int,
    concurrency: int,
    *,
    lenient: bool = False,
) -> Judge:
    """Return the judge called `provider:model`."""
    provider, _, name = setting.partition(":")
    model = ChatModel(provider, name, temperature=0.0, max_tokens=LONGEST_REPLY)
    return Judge(model, prompts, cache, votes=votes, concurrency=concurrency, lenient=lenient)


def _repair(prompt: str, reply: str, problem: str) -> str:
    return (
        f"{prompt}\n\nYou replied:\n{reply}\n\nThat could not be used: {problem} "
        "Reply again with the corrected JSON object only."
    )


def _decided(form: type[F], votes: Sequence[F | Unjudged]) -> F | Unjudged:
    """Return the majority of the votes that could be used, as long as most could and there is one."""
    usable = [vote for vote in votes if not isinstance(vote, Unjudged)]
    if 2 * len(usable) <= len(votes):
        return next(vote for vote in votes if isinstance(vote, Unjudged))
    try:
        return usable[0] if len(usable) == 1 else form.combine(usable)
    except NoMajorityError as votes_stand:
        used = f"{len(usable)} of the {len(votes)} votes could be used"
        return Unjudged(f"the judge's votes have no majority ({votes_stand}); {used}")
