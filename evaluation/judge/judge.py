"""The judge: a language model that is asked for verdicts of a fixed form, each question of the same content once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from evaluation.judge.forms import JudgeForm, NoMajorityError
from evaluation.judge.languages import closing_for
from evaluation.judge.prompts import JudgePrompts
from evaluation.spec import LONGEST_REPLY, MOST_AT_ONCE
from rag_pipeline.errors import ProviderError
from rag_pipeline.llm.call_settings import CallSettings
from rag_pipeline.llm.chat import ChatModel
from rag_pipeline.llm.circuit_breaker import CircuitBreaker
from rag_pipeline.llm.failures import ModelCallError
from rag_pipeline.llm.loop_thread import together
from rag_pipeline.llm.replies import Reply, asking
from rag_pipeline.llm.structured import UnreadableReplyError, accept, ask_form
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.runtime import ModelLimits, ReplyStore

F = TypeVar("F", bound=JudgeForm)

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


@dataclass(frozen=True)
class Request(Generic[F]):
    """One question to the judge: the prompt called `prompt` with its `fields`, to be answered as `form`.

    `check` returns what is wrong with a reply of the right form, such as a verdict too few, or an empty string.
    `chain`: how many calls one after the other depend on it, itself among them; long chains begin first.
    `again`: how often the same was asked before; it is then asked in other words.
    `divisible`: where it does not fit into the judge's window, whoever asks does so in portions: nothing is lost.
    """

    prompt: str
    form: type[F]
    fields: Mapping[str, str]
    check: Callable[[F], str] = field(default=accept, compare=False)
    chain: int = field(default=1, compare=False)
    again: int = 0
    divisible: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Unjudged:
    """No verdict, and why. `too_long`: what was to be judged does not fit into the judge's window."""

    reason: str
    too_long: bool = False


class _InVainError(ProviderError):
    """A call that is not made any more; the text says why."""


@dataclass(frozen=True, slots=True)
class _ModelForPrompt:
    """The judge's model for calls with one prompt, which end when they have turned out to be in vain."""

    model: ChatModel
    judge: Judge
    prompt: str

    @property
    def settings(self) -> CallSettings:
        return self.model.settings

    async def once(
        self, prompt: str, form: dict[str, Any] | None, ask: Callable[[], Awaitable[Reply]], repeat: int = 0
    ) -> Reply:
        return await self.model.once(prompt, form, ask, repeat)

    async def ask_afresh(self, prompt: str, *, json_schema: dict[str, Any] | None, priority: float) -> Reply:
        call = self.model.ask_afresh(prompt, json_schema=json_schema, priority=priority)
        return await self.judge.send(self.prompt, call)


class Judge:
    """A chat model that judges at temperature 0. `afresh`: without the replies that are kept from earlier.

    `votes`: differently worded calls for each question, of which the majority counts.
    `batch`: most claims in one list, and most contexts shown together.
    `lenient`: when it cannot be asked any more, what is not judged yet stays so with the reason, which is kept as
    `failure`, and nothing is raised: whoever asks has other things to do that must not be lost.
    """

    batch = MOST_AT_ONCE

    def __init__(
        self,
        model: ChatModel,
        prompts: JudgePrompts,
        *,
        votes: int = 1,
        batch: int = MOST_AT_ONCE,
        lenient: bool = False,
        afresh: bool = False,
    ) -> None:
        self._model = model
        self._prompts = prompts
        self.votes = votes
        self.batch = batch
        self._afresh = afresh
        self._under_way: dict[asyncio.Future[Reply], str] = {}
        self._tally = UsageTally()
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
            "cached": self._tally.kept,
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
        text = self._prompts.fill(request.prompt, request.fields)
        closing = closing_for(request.fields)
        text = f"{text}\n\n{closing}" if closing else text
        votes = self.votes if request.form.voted else 1
        first = votes * request.again
        with asking(afresh=self._afresh):
            replies = await together(*(self._vote(request, text, vote) for vote in range(first, first + votes)))
        decided = _decided(request.form, replies)
        self._unjudged += isinstance(decided, Unjudged) and not (decided.too_long and request.divisible)
        return decided

    async def send(self, prompt: str, send: Coroutine[Any, Any, Reply]) -> Reply:
        """Send a call that the prompt called `prompt` makes, unless that has turned out to be in vain.

        Raises _InVainError then, also for what is under way.
        """
        if (in_vain := self._why_in_vain(prompt)) is not None:
            send.close()
            raise _InVainError(in_vain)
        call = asyncio.ensure_future(send)
        self._under_way[call] = prompt
        try:
            return await call
        except asyncio.CancelledError:
            if not call.cancelled() or (in_vain := self._why_in_vain(prompt)) is None:
                call.cancel()
                raise
            raise _InVainError(in_vain) from None
        finally:
            del self._under_way[call]

    async def _vote(self, request: Request[F], text: str, vote: int) -> F | Unjudged:
        try:
            return await self._ask(request, text, vote)
        except _InVainError as in_vain:
            return Unjudged(str(in_vain))
        except ProviderError as failure:
            if not self._lenient:
                raise
            self.failure = self.failure or failure
            self._give_up()
            return Unjudged(f"the judge could not be asked: {self.failure}")

    def _why_in_vain(self, prompt: str) -> str | None:
        """Return why nothing is asked with a prompt any more; None where it still is."""
        if self.failure is not None:
            return f"the judge could not be asked: {self.failure}"
        if self._unusable[prompt] >= _MOST_UNUSABLE:
            return (
                f"the judge was not asked any more: none of its last {_MOST_UNUSABLE} replies to this prompt could be "
                "used. Choose another judge"
            )
        return None

    def _give_up(self, prompt: str = "") -> None:
        """End the calls that are under way, with one prompt or with all."""
        for call, used in self._under_way.items():
            if not prompt or used == prompt:
                call.cancel()

    async def _ask(self, request: Request[F], text: str, vote: int) -> F | Unjudged:
        """Return a reply that can be used: the first, one repaired, or one to the same question asked anew."""
        wording = _WORDINGS[vote % len(_WORDINGS)]
        try:
            reply = await ask_form(
                _ModelForPrompt(self._model, self, request.prompt),
                text + wording,
                request.form,
                self._tally,
                check=request.check,
                attempts=3,
                priority=request.chain,
                repeat=vote,
            )
        except _InVainError:
            raise
        except UnreadableReplyError as unreadable:
            self._breaker.record(None)
            self._count_unusable(request.prompt)
            mend = " Raise the Judge reply limit (judge_max_tokens)." if unreadable.cut_off else ""
            return Unjudged(
                f"the judge's reply could not be used, even repaired and asked for again: {unreadable.problem}{mend}"
            )
        except ProviderError as failure:
            too_long = isinstance(failure, ModelCallError) and failure.too_long
            if not too_long:  # else a fault of this text alone
                self._breaker.record(failure)
            return Unjudged(f"the judge could not be asked: {failure}", too_long)
        self._breaker.record(None)
        self._unusable[request.prompt] = 0
        return reply

    def _count_unusable(self, prompt: str) -> None:
        self._unusable[prompt] += 1
        if self._unusable[prompt] == _MOST_UNUSABLE:
            self._give_up(prompt)


def make_judge(
    setting: str,
    prompts: JudgePrompts,
    store: ReplyStore | None = None,
    votes: int = 1,
    *,
    batch: int = MOST_AT_ONCE,
    max_tokens: int = LONGEST_REPLY,
    limits: ModelLimits | None = None,
    lenient: bool = False,
    afresh: bool = False,
) -> Judge:
    """Return the judge called `provider:model`. `store`: where its replies are kept, in place of the app's store.

    `max_tokens`: the longest reply, a reasoning model's thoughts included.
    """
    provider, _, name = setting.partition(":")
    model = ChatModel(provider, name, temperature=0.0, max_tokens=max_tokens, limits=limits, replies=store)
    return Judge(model, prompts, votes=votes, batch=batch, lenient=lenient, afresh=afresh)


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
