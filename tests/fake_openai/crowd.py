"""Servers that are not always there for everybody: so many calls a second, so many places, so many faults."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from contextlib import nullcontext
from typing import Any

from tests.fake_openai.behaviour import Behaviour

_FAULTS = (
    Behaviour.rate_limited(),
    Behaviour.server_error(),
    Behaviour.cut(1),
    Behaviour.garbage(),
    Behaviour.hang(),
)


class Crowd:
    """`rate`: calls a second, further ones are refused with Retry-After. `places`: calls that are worked at at once,
    further ones wait. `faults`: share of calls that fail in one of five ways. 0 = no limit.
    """

    def __init__(self, rate: float = 0.0, places: int = 0, faults: float = 0.0, seed: int = 0) -> None:
        self.rate, self.faults = rate, faults
        self._taken: deque[float] = deque()
        self._places = asyncio.Semaphore(places) if places else None
        self._random = random.Random(seed)

    def behaviour(self, chosen: Behaviour) -> Behaviour:
        """Return what happens to a call that would be treated as `chosen`."""
        if self.faults and self._random.random() < self.faults:
            return self._random.choice(_FAULTS)
        if self.rate and (wait := self._too_early()):
            return Behaviour.rate_limited(f"{wait:.3f}")
        return chosen

    def place(self) -> Any:
        """Return a place to work at a call in."""
        return self._places or nullcontext()

    def _too_early(self) -> float:
        """Return the seconds until the next call is taken, 0 where this one is."""
        now = asyncio.get_running_loop().time()
        while self._taken and self._taken[0] <= now - 1:
            self._taken.popleft()
        if len(self._taken) >= self.rate:
            return self._taken[0] + 1 - now + 0.001
        self._taken.append(now)
        return 0.0
