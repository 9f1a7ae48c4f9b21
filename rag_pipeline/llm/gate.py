"""Gate: how many calls to one model are in flight at once. It adapts to what the model's server takes.

Additive increase and multiplicative decrease with a slow start, as TCP does it (Jacobson 1988): the number doubles
while answers take no longer than they did, or more of them come in the same time; it is halved when the server refuses
calls, and grows by a tenth of itself from then on. Until the first answer it doubles as long as nothing is refused: a
server that limits calls says so at once, and one that queues them loses nothing by a longer queue.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from rag_pipeline.llm.failures import ModelCallError
from rag_pipeline.llm.target import OPENAI, Target

START = 32
"""Calls in flight at first, as far as so many are allowed."""
_SLOWER = 1.5
"""Answers that take so many times as long as the quickest ones show a server that queues: no more calls then."""
_GAIN = 1.25
"""More calls at once are worth it where so many times as many are answered in the same time."""
_GROWTH = 1.1
_MOST_UNANSWERED = 256
"""Calls in flight at most before the first answer."""
_AT_ONCE = 8
"""Calls let through in one turn of the loop: the first are on their way before the last are made."""
_FIRST_LOOK_S = 0.1
"""How long a server has to refuse the first calls, before twice as many are sent."""
_NOISE_S = 0.05
"""Differences of this size say nothing about a server."""


_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True, slots=True)
class Ticket:
    """A call in flight: the how manieth it is, when it was sent, and how often the gate had been narrowed by then."""

    number: int
    sent: float
    narrowed: int


class Gate:
    """Lets at most `limit` calls through at once, at most `most`; bound to the event loop that it is used in.

    Calls that wait are let through in the order of their priority, the highest first, then of their coming.
    """

    def __init__(self, most: int) -> None:
        self.most = max(1, most)
        self.in_flight = 0
        self.answered = 0
        """Calls that were answered well so far."""
        self._limit = float(min(START, self.most))
        self._slow_from = float(self.most)
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._closed_until = 0.0
        self._opening: asyncio.TimerHandle | None = None
        self._admitting = False
        self._looking: asyncio.TimerHandle | None = None
        self._sent = 0
        self._told_by = 0
        self._allowed: int | None = None
        self._one_more_s = 0.0
        self._narrowed = 0
        self._quickest_s = math.inf
        self._best_rate = 0.0
        self._round = _Round()

    @property
    def limit(self) -> int:
        """Calls that may be in flight at once now."""
        return max(1, min(int(self._limit), self.most))

    @property
    def waiting(self) -> int:
        """Calls that wait to be sent."""
        return sum(not turn.done() for _, _, turn in self._waiting)

    @asynccontextmanager
    async def call(self, priority: float = 0.0) -> AsyncIterator[Ticket]:
        """Wait for one's turn; the block is one attempt at a call. Its ModelCallError, or its success, is heeded."""
        await self._enter(priority)
        self._sent += 1
        ticket = Ticket(self._sent, asyncio.get_running_loop().time(), self._narrowed)
        if self.in_flight == 1:  # nothing was asked before: that time says nothing about the server
            self._round = _Round(ticket.sent)
        try:
            yield ticket
        except ModelCallError as failure:
            if failure.busy:
                self._refused(ticket, failure.retry_after or 0.0)
            if failure.permanent:
                self._give_up(failure)
            raise
        else:
            self._has_answered(asyncio.get_running_loop().time() - ticket.sent)
        finally:
            self.in_flight -= 1
            self._admit()

    def heed(self, ticket: Ticket, headers: Mapping[str, str]) -> None:
        """Read how many more requests a server of OpenAI's protocol takes, and when it will take all again."""
        left, most = headers.get("x-ratelimit-remaining-requests", ""), headers.get("x-ratelimit-limit-requests", "")
        if not (left.isdecimal() and most.isdecimal()) or ticket.number < self._told_by:
            return
        self._told_by = ticket.number
        self._allowed = max(0, int(left) - (self._sent - ticket.number))
        missing = max(1, int(most) - int(left))
        self._one_more_s = seconds_of(headers.get("x-ratelimit-reset-requests", "")) / missing

    def close_for(self, seconds: float) -> None:
        """Send nothing for so long: the server has said that nothing would be taken."""
        until = asyncio.get_running_loop().time() + seconds
        self._closed_until = max(self._closed_until, until)

    async def _enter(self, priority: float) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (-priority, next(self._numbers), turn))
        self._admit_soon()  # those that come in the same turn of the loop go in the order of their priority, too
        try:
            await turn
        except asyncio.CancelledError:
            if (
                turn.done() and not turn.cancelled() and turn.exception() is None
            ):  # it was let through at the moment in which it gave up
                self.in_flight -= 1
                self._admit()
            raise

    def _admit_soon(self) -> None:
        if not self._admitting:
            self._admitting = True
            asyncio.get_running_loop().call_soon(self._admit_now)

    def _admit_now(self) -> None:
        self._admitting = False
        self._admit()

    def _admit(self) -> None:
        """Let through who may go now."""
        loop = asyncio.get_running_loop()
        if (closed_s := self._closed_until - loop.time()) > 0:
            if self._waiting and self._opening is None:
                self._opening = loop.call_later(closed_s, self._open)
            return
        admitted = 0
        while self._waiting and self.in_flight < self.limit and self._allowed != 0:
            if admitted == _AT_ONCE:
                self._admit_soon()
                return
            admitted += 1
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                self.in_flight += 1
                self._allowed = None if self._allowed is None else self._allowed - 1
                turn.set_result(None)
        if self._waiting and self._allowed == 0:
            self._allowed = 1  # by then
            self.close_for(self._one_more_s)
            self._admit()
        elif self._waiting and self._begins and self._looking is None:
            self._looking = loop.call_later(_FIRST_LOOK_S, self._begin_faster)

    @property
    def _begins(self) -> bool:
        return not self.answered and not self._narrowed and self._limit < _MOST_UNANSWERED

    def _open(self) -> None:
        self._opening = None
        self._admit()

    def _begin_faster(self) -> None:
        """Double the limit where nothing has come back yet, no refusal either."""
        self._looking = None
        if self._begins:
            self._limit = max(self._limit, min(float(self.most), _MOST_UNANSWERED, self._limit * 2))
            self._admit()

    def _give_up(self, failure: ModelCallError) -> None:
        """Hand a permanent failure (a wrong key, no such model) to all that wait: theirs would be the same."""
        for _, _, turn in self._waiting:
            if not turn.done():
                turn.set_exception(failure)
        self._waiting.clear()

    def _has_answered(self, seconds: float) -> None:
        """Count an answer; after as many as may be in flight, look whether more at once are answered as quickly."""
        self.answered += 1
        self._round.add(seconds, full=bool(self._waiting))
        if self._round.answers < (self.limit if self._best_rate else min(START, self.limit)):
            return
        done, self._round = self._round, _Round(asyncio.get_running_loop().time())
        if not self._best_rate:  # the first answers, before a server's queue is long: what to compare with
            self._best_rate = self.limit / (_SLOWER * done.mean_s + _NOISE_S)
            self._quickest_s = done.mean_s
            return
        rate = done.rate(self._round.began)
        if done.full and (done.mean_s <= _SLOWER * self._quickest_s + _NOISE_S or rate >= _GAIN * self._best_rate):
            doubled = self._limit < self._slow_from
            grown = self._limit * 2 if doubled else max(self._limit + 1, self._limit * _GROWTH)
            self._limit = min(float(self.most), grown)
        self._quickest_s = min(self._quickest_s, done.mean_s)
        self._best_rate = max(self._best_rate, rate)

    def _refused(self, ticket: Ticket, retry_after_s: float) -> None:
        """Halve the limit, once for all calls that were in flight together, and wait as long as the server asks."""
        self.close_for(retry_after_s)
        if ticket.narrowed < self._narrowed:
            return
        self._narrowed += 1
        self._limit = max(1.0, self._limit / 2)
        self._slow_from = self._limit
        self._round = _Round(asyncio.get_running_loop().time())


@dataclass(slots=True)
class _Round:
    """Answers since the limit was last looked at, at `began`. `full`: calls had to wait meanwhile."""

    began: float = 0.0
    answers: int = 0
    seconds: float = 0.0
    full: bool = False

    def add(self, seconds: float, *, full: bool) -> None:
        self.answers += 1
        self.seconds += seconds
        self.full = self.full or full

    @property
    def mean_s(self) -> float:
        return self.seconds / self.answers

    def rate(self, now: float) -> float:
        """Return how many calls were answered a second."""
        return self.answers / max(now - self.began, 1e-6)


def seconds_of(text: str) -> float:
    """Return the seconds in a duration as the headers write it (`6m0s`, `1.5s`, `20ms`); 0 for what is none."""
    return sum(float(number) * _UNITS[unit] for number, unit in _DURATION.findall(text))


_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str, str], Gate]] = WeakKeyDictionary()


def calls_at_once() -> int:
    """Return how many calls the gates that are in use in this process let through at once now."""
    return sum(gate.limit for gates in list(_gates.values()) for gate in list(gates.values()) if gate.in_flight)


def gate_of(target: Target, most: int) -> Gate:
    """Return the running loop's gate to a model, which everything that asks this model with this key goes through."""
    key = target.api_key() if target.provider == OPENAI else ""
    gates = _gates.setdefault(asyncio.get_running_loop(), {})
    gate = gates.setdefault((target.setting, target.base_url, key), Gate(most))
    gate.most = max(1, most)
    return gate
