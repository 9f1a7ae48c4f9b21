"""The judge: a language model that is asked for verdicts of a fixed form, each question of the same content once."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from evaluation.judge.forms import JudgeForm, NoMajorityError
from evaluation.judge.prompts import JudgePrompts
from rag_pipeline.errors import ProviderError
from rag_pipeline.llm.chat import CUT_OFF, FILTERED, ChatModel
from rag_pipeline.llm.circuit_breaker import CircuitBreaker
from rag_pipeline.llm.failures import ModelCallError
from rag_pipeline.llm.loop_thread import gather_blocking, together
from rag_pipeline.llm.replies import KeptReplies, ReplyStore
from rag_pipeline.llm.structured import read_form, strict_schema
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.runtime import ModelLimits

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


def _accept(form: Any) -> str:
    return ""


@dataclass(frozen=True)
class Request(Generic[F]):
    """One question to the judge: the prompt called `prompt` with its `fields`, to be answered as `form`.

    `check` returns what is wrong with a reply of the right form, such as a verdict too few, or an empty string.
    `chain`: how many calls one after the other depend on it, itself among them; long chains begin first.
    """

    prompt: str
    form: type[F]
    fields: Mapping[str, str]
    check: Callable[[F], str] = field(default=_accept, compare=False)
    chain: int = field(default=1, compare=False)


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
    """A chat model that judges at temperature 0. `store`: where replies are kept by content.

    `votes`: differently worded calls for each question, of which the majority counts.
    `lenient`: when it cannot be asked any more, what is not judged yet stays so with the reason, which is kept as
    `failure`, and nothing is raised: whoever asks has other things to do that must not be lost.
    """

    def __init__(
        self,
        model: ChatModel,
        prompts: JudgePrompts,
        store: ReplyStore | None = None,
        *,
        votes: int = 1,
        lenient: bool = False,
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._kept = KeptReplies(store, model.target.setting) if store is not None else None
        self._votes = votes
        self._under_way: dict[str, asyncio.Future[Any]] = {}
        self._asking: dict[asyncio.Future[Any], str] = {}
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

    async def ask(self, request: Request[F]) -> F | Unjudged:
        """Return the verdict on a request. A reply that cannot be used is repaired, then asked for anew.

        Only in what `loop_thread` runs for a thread that waits. Raises ProviderError when the judge cannot be asked at
        all, or fails again and again, unless it is `lenient`.
        """
        calls = self._calls(request)
        replies = await together(*(self._reply(call) for call in calls))
        decided = _decided(request.form, replies)
        self._unjudged += isinstance(decided, Unjudged)
        return decided

    def ask_many(self, requests: Sequence[Request[F]]) -> list[F | Unjudged]:
        """Return the verdict on each request, in order, as `ask` does; for callers without an event loop."""
        try:
            return gather_blocking([self.ask(request) for request in requests])
        finally:
            self.flush()

    def flush(self) -> None:
        """Write the replies that are not stored yet; whoever ran `ask` in the loop calls it at the end."""
        if self._kept is not None:
            self._kept.flush()

    async def _reply(self, call: _Call[F]) -> F | Unjudged:
        """Return the reply to a call; the same call that is under way is waited for, not made again."""
        asked = self._under_way.get(call.key)
        if asked is None:
            asked = self._under_way[call.key] = asyncio.ensure_future(self._stored_or_asked(call))
            asked.add_done_callback(lambda _: self._under_way.pop(call.key, None))
        return cast("F | Unjudged", await asked)

    async def _stored_or_asked(self, call: _Call[F]) -> F | Unjudged:
        kept = await self._kept.get(call.key) if self._kept is not None else None
        if kept is not None:
            self._cached += 1
            return call.request.form.model_validate(kept)
        reply = await self._asked(call)
        if self._kept is not None and not isinstance(reply, Unjudged):
            self._kept.put(call.key, reply.model_dump(mode="json"))
        return reply

    async def _asked(self, call: _Call[F]) -> F | Unjudged:
        """Ask, unless that has turned out to be in vain."""
        prompt = call.request.prompt
        in_vain = self._why_in_vain(prompt)
        if in_vain is not None:
            return in_vain
        asking = asyncio.ensure_future(self._ask(call))
        self._asking[asking] = prompt
        try:
            return await asking
        except ProviderError as failure:
            if not self._lenient:
                raise
            self.failure = self.failure or failure
            self._give_up()
            return Unjudged(f"the judge could not be asked: {self.failure}")
        except asyncio.CancelledError:
            in_vain = self._why_in_vain(prompt)
            if in_vain is None or not asking.cancelled():
                asking.cancel()
                raise
            return in_vain
        finally:
            del self._asking[asking]

    def _why_in_vain(self, prompt: str) -> Unjudged | None:
        """Return why nothing is asked with a prompt any more; None where it still is."""
        if self.failure is not None:
            return Unjudged(f"the judge could not be asked: {self.failure}")
        if self._unusable[prompt] >= _MOST_UNUSABLE:
            return Unjudged(
                f"the judge was not asked any more: none of its last {_MOST_UNUSABLE} replies to this prompt could be "
                "used. Choose another judge"
            )
        return None

    def _give_up(self, prompt: str = "") -> None:
        """End the calls that are under way, with one prompt or with all."""
        for asking, used in self._asking.items():
            if (not prompt or used == prompt) and asking is not asyncio.current_task():
                asking.cancel()

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

    async def _ask(self, call: _Call[F]) -> F | Unjudged:
        """Return a reply that can be used: the first, one repaired, or one to the same question asked anew."""
        problem, prompt = "", call.request.prompt
        sent = call.text
        for attempt in range(3):
            try:
                text, problem = await self._text(sent, call.request, attempt)
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
        if self._unusable[prompt] == _MOST_UNUSABLE:
            self._give_up(prompt)
        return Unjudged(f"the judge's reply could not be used, even repaired and asked for again: {problem}")

    async def _text(self, prompt: str, request: Request[Any], attempt: int) -> tuple[str, str]:
        """Return a reply, and that it was cut off or stopped where it was."""
        # What has begun is ended first, then what most calls wait for.
        priority = 10 * attempt + request.chain
        reply = await self._model.ask(prompt, json_schema=strict_schema(request.form), priority=priority)
        self._tally.add(reply.usage)
        if reply.finish in FILTERED:
            return reply.text, "The provider's content filter stopped it."
        return reply.text, f"It was cut off after {LONGEST_REPLY:,} tokens." if reply.finish in CUT_OFF else ""


def make_judge(
    setting: str,
    prompts: JudgePrompts,
    store: ReplyStore | None,
    votes: int = 1,
    *,
    limits: ModelLimits | None = None,
    lenient: bool = False,
) -> Judge:
    """Return the judge called `provider:model`."""
    provider, _, name = setting.partition(":")
    model = ChatModel(provider, name, temperature=0.0, max_tokens=LONGEST_REPLY, limits=limits)
    return Judge(model, prompts, store, votes=votes, lenient=lenient)


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
