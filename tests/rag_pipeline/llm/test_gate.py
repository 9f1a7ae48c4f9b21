"""The gate to a model, against servers of several kinds. Time is simulated: a second passes when nobody has to do."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable

import pytest

from rag_pipeline.llm.failures import ModelCallError
from rag_pipeline.llm.gate import Gate, seconds_of


class SimulatedTime(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next thing to do."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        return self.now


class _Jumping(selectors.SelectSelector):
    """Waits for nothing: moves the clock of its loop instead."""

    def __init__(self, loop: SimulatedTime) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout:
            self._loop.now += timeout
        return ready


def busy(retry_after: float | None = None) -> ModelCallError:
    return ModelCallError("busy", retryable=True, retry_after=retry_after, busy=True)


Serve = Callable[[], Awaitable[None]]


class Run:
    """Calls through a gate until each has been answered once: how long it took, how often was sent."""

    def __init__(self, gate: Gate, serve: Serve, calls: int) -> None:
        self.gate, self.serve, self.calls = gate, serve, calls
        self.sent = self.refused = self.most = 0

    async def one(self) -> None:
        while True:
            try:
                async with self.gate.call():
                    self.sent += 1
                    self.most = max(self.most, self.gate.in_flight)
                    await self.serve()
                    return
            except ModelCallError:
                self.refused += 1

    async def all(self) -> float:
        start = asyncio.get_running_loop().time()
        await asyncio.gather(*(self.one() for _ in range(self.calls)))
        return asyncio.get_running_loop().time() - start


@pytest.fixture
def simulate():
    """Run a coroutine in simulated time."""
    loop = SimulatedTime()
    yield loop.run_until_complete
    loop.close()


def test_a_quick_server_gets_ever_more_calls_at_once(simulate):
    run = Run(Gate(256), lambda: asyncio.sleep(1), 1000)
    seconds = simulate(run.all())
    assert run.most == 256
    assert seconds <= 4.4  # 32, doubled each tenth of a second as nothing is refused, then 256 at a time


def test_never_more_than_allowed(simulate):
    run = Run(Gate(4), lambda: asyncio.sleep(1), 20)
    assert simulate(run.all()) == pytest.approx(5)
    assert run.most == 4


def test_a_server_that_queues_is_not_flooded(simulate):
    places = asyncio.Semaphore(64)

    async def serve() -> None:
        async with places:
            await asyncio.sleep(1)

    run = Run(Gate(1024), serve, 1280)
    seconds = simulate(run.all())
    assert seconds <= 1.15 * 1280 / 64
    assert run.most <= 256


def test_a_server_whose_times_vary_gets_more_as_long_as_more_is_answered(simulate):
    """Answers take longer and longer, and yet more calls at once bring more of them."""
    gate = Gate(256)

    async def serve() -> None:
        await asyncio.sleep(gate.in_flight**0.5)

    simulate(Run(gate, serve, 2000).all())
    assert gate.limit == 256


def test_a_rate_limit_is_used_and_loses_nothing(simulate):
    """A server that takes 5 calls a second and says when it takes the next: at least nine tenths of that are used."""
    taken: list[float] = []

    async def serve() -> None:
        now = asyncio.get_running_loop().time()
        last = [at for at in taken if at > now - 1]
        if len(last) >= 5:
            raise busy(round(last[0] + 1 - now, 3) + 0.001)
        taken.append(now)
        await asyncio.sleep(0.2)

    run = Run(Gate(256), serve, 200)
    seconds = simulate(run.all())
    assert len(taken) == 200
    assert seconds <= 200 / 5 / 0.9
    assert run.refused <= 100


def test_a_refusal_halves_and_answers_bring_it_back(simulate):
    gate = Gate(64)
    refusals = [True]

    async def serve() -> None:
        if refusals:
            refusals.pop()
            raise busy()
        await asyncio.sleep(1)

    run = Run(gate, serve, 33)
    simulate(run.all())
    assert 16 <= gate.limit < 20
    simulate(Run(gate, serve, 3000).all())
    assert gate.limit == 64


def test_a_server_that_refuses_at_once_is_not_sent_more_before_its_first_answer(simulate):
    gate = Gate(256)
    places = iter(range(20))

    async def serve() -> None:
        if next(places, None) is None and gate.answered == 0:
            raise busy(1)
        await asyncio.sleep(1)

    run = Run(gate, serve, 100)
    simulate(run.all())
    assert run.most <= 32


def test_what_a_server_says_it_still_takes_is_heeded(simulate):
    """60 requests a minute, the bucket empty after 10: ten at once, then one a second, and nothing is refused."""
    gate, at = Gate(256), []
    left = [10.0, 0.0]

    def take() -> int:
        now = asyncio.get_running_loop().time()
        left[0], left[1] = min(60.0, left[0] + now - left[1]) - 1, now
        return int(left[0])

    async def call() -> None:
        async with gate.call() as ticket:
            at.append(asyncio.get_running_loop().time())
            remaining = take()
            assert left[0] > -1e-6
            await asyncio.sleep(0.01)
            heed = {"limit": "60", "remaining": str(max(0, remaining)), "reset": f"{60 - left[0]:.3f}s"}
            gate.heed(ticket, {f"x-ratelimit-{name}-requests": value for name, value in heed.items()})

    async def scene() -> None:
        await call()  # the first answer says what is left
        await asyncio.gather(*(call() for _ in range(40)))

    simulate(scene())
    assert len(at) == 41
    assert at[-1] <= 31 / 0.9


@pytest.mark.parametrize(("text", "seconds"), [("6m0s", 360), ("1.5s", 1.5), ("20ms", 0.02), ("1h2m", 3720), ("", 0)])
def test_durations_as_the_headers_write_them(text, seconds):
    assert seconds_of(text) == pytest.approx(seconds)


def test_calls_refused_together_halve_once(simulate):
    gate = Gate(64)
    first = iter([True] * 32)

    async def serve() -> None:
        await asyncio.sleep(1)
        if next(first, False):
            raise busy()

    simulate(Run(gate, serve, 32).all())
    assert 16 <= gate.limit < 32


def test_nothing_is_sent_before_the_time_that_the_server_names(simulate):
    at: list[float] = []

    async def serve() -> None:
        at.append(asyncio.get_running_loop().time())
        if len(at) == 1:
            raise busy(30)

    gate = Gate(1)
    simulate(Run(gate, serve, 3).all())
    assert at == [0, 30, 30, 30]


def test_the_highest_priority_goes_first(simulate):
    gate, order = Gate(1), []

    async def call(name: str, priority: float) -> None:
        async with gate.call(priority):
            order.append(name)
            await asyncio.sleep(1)

    async def all_() -> None:
        first = asyncio.ensure_future(call("first", 0))
        await asyncio.sleep(0.5)
        await asyncio.gather(first, call("low", 1), call("high", 3), call("middle", 2))

    simulate(all_())
    assert order == ["first", "high", "middle", "low"]


def test_of_those_that_come_together_the_highest_priority_goes_first(simulate):
    gate, order = Gate(2), []

    async def call(priority: float) -> None:
        async with gate.call(priority):
            order.append(priority)
            await asyncio.sleep(1)

    async def all_() -> None:
        await asyncio.gather(*map(call, (0, 1, 3, 2)))

    simulate(all_())
    assert order == [3, 2, 1, 0]


def test_the_first_calls_are_on_their_way_before_the_last_are_made(simulate):
    """Each call has something to do before it is sent; in that time the server begins with those that were."""
    gate, steps = Gate(32), []

    async def call(number: int) -> None:
        async with gate.call():
            steps.append("made")
            await asyncio.sleep(0)
            steps.append("sent")
            await asyncio.sleep(1)

    async def all_() -> None:
        await asyncio.gather(*map(call, range(32)))

    simulate(all_())
    assert len(steps) == 64
    assert steps.index("sent") < 16


def test_who_gives_up_leaves_no_place_taken(simulate):
    gate = Gate(1)

    async def scene() -> int:
        async with gate.call():
            waiting = [asyncio.ensure_future(_pass(gate)) for _ in range(3)]
            await asyncio.sleep(1)
            waiting[0].cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return gate.in_flight

    assert simulate(scene()) == 0
    assert gate.waiting == 0


async def _pass(gate: Gate) -> None:
    async with gate.call():
        await asyncio.sleep(1)
