"""Letting go of long waits when the work that waits is cancelled or its worker is to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_asked: ContextVar[Callable[[], bool] | None] = ContextVar("interruption", default=None)


class WorkInterruptedError(Exception):
    """Whoever waits is to stop; what is done so far stays. Caught where the work was begun."""


@contextmanager
def interruptible(interrupted: Callable[[], bool]) -> Iterator[None]:
    """Let waits inside the block ask `interrupted`, now and then, whether to go on. It must be cheap.

    Inside another such block, what interrupts that one interrupts this one too.
    """
    outer = _asked.get()
    token = _asked.set(interrupted if outer is None else lambda: interrupted() or outer())
    try:
        yield
    finally:
        _asked.reset(token)


def raise_if_interrupted() -> None:
    """Raise WorkInterruptedError when the surrounding work is to stop; outside of any, do nothing."""
    interrupted = _asked.get()
    if interrupted is not None and interrupted():
        raise WorkInterruptedError
