"""Model replies kept by the content of what was asked: the same call is never paid for twice."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from rag_pipeline.llm.loop_thread import Iteration, current_iteration
from rag_pipeline.runtime import ReplyStore
from rag_pipeline.types import Usage

WRITE_AFTER_S = 0.25
"""How long replies are collected before they are written together."""
_TURNS_TO_BEGIN = 6
"""Turns of the loop until also what begins in several steps, as a claim table does, has said what it wants to know."""
FILTERED = frozenset({"content_filter", "SAFETY"})
"""Providers' words for an answer that was stopped for what it says."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A finished answer of a model.

    `latency_s` and `ttft_s` are those of the attempt that succeeded; `waited_s` were spent between attempts.
    `finish` is the provider's word for why it ended (`stop`, `length` ...). `kept`: it was asked for earlier; its
    figures are those of then, and nothing was paid now.
    """

    text: str
    usage: Usage
    latency_s: float
    ttft_s: float | None = None
    finish: str = ""
    notes: tuple[str, ...] = ()
    attempts: int = 1
    waited_s: float = 0.0
    kept: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return what is stored."""
        fields = asdict(self)
        return {name: fields[name] for name in ("text", "usage", "latency_s", "ttft_s", "finish", "notes")}

    @property
    def is_answer(self) -> bool:
        """Return whether the model said anything that may be kept: it was not silent, nor stopped by a filter."""
        return bool(self.text.strip()) and self.finish not in FILTERED

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Reply:
        """Return a stored reply."""
        return cls(**{**fields, "usage": Usage(**fields["usage"]), "notes": tuple(fields["notes"]), "kept": True})


@dataclass(frozen=True, slots=True)
class Asking:
    """How models are asked: `repeat` tells calls of the same content apart; `afresh` uses no reply of earlier."""

    repeat: int = 0
    afresh: bool = False


_AS_EVER = Asking()
_asking: ContextVar[Asking] = ContextVar("asking", default=_AS_EVER)


@contextmanager
def asking(repeat: int = 0, *, afresh: bool = False) -> Iterator[None]:
    """Have all model calls within asked so."""
    token = _asking.set(Asking(repeat, afresh))
    try:
        yield
    finally:
        _asking.reset(token)


def key_of(*content: Any) -> str:
    """Return the key of a call: a hash of all that decides its reply, and of which repeat it is."""
    return hashlib.sha256(json.dumps([*content, _asking.get().repeat], sort_keys=True).encode()).hexdigest()


class KeptReplies:
    """A store as the coroutines of one iteration see it: reads and writes are collected and done together."""

    def __init__(self, store: ReplyStore, iteration: Iteration) -> None:
        self._store = store
        self._iteration = iteration
        iteration.at_end.append(self._flush)
        self._under_way: dict[str, _SharedCall] = {}
        self._wanted: dict[str, asyncio.Future[Reply | None]] = {}
        self._unwritten: dict[str, Reply] = {}
        self._asked_now: set[str] = set()
        self._busy: set[asyncio.Task[None]] = set()

    async def once(self, key: str, ask: Callable[[], Awaitable[Reply]]) -> Reply:
        """Return the reply that is kept under `key`, else what `ask` returns; who asks meanwhile waits for the same.

        One call is paid once: the reply counts as kept for all but the first. Raises what `ask` raises: nothing is
        kept then.
        """
        shared = self._under_way.get(key)
        if shared is not None:
            return replace(await shared.reply(), kept=True)
        shared = self._under_way[key] = _SharedCall(self._kept_or_asked(key, ask))
        shared.task.add_done_callback(lambda _: self._under_way.pop(key, None))
        return await shared.reply()

    async def _kept_or_asked(self, key: str, ask: Callable[[], Awaitable[Reply]]) -> Reply:
        afresh = _asking.get().afresh and key not in self._asked_now
        kept = None if afresh else await self._get(key)
        if kept is not None:
            return kept
        reply = await ask()
        if reply.is_answer:
            self._put(key, reply)
        return reply

    async def _get(self, key: str) -> Reply | None:
        """Return the reply that is kept; all that is wanted in one turn of the loop is read at once."""
        if key in self._unwritten:
            return replace(self._unwritten[key], kept=True)
        wanted = self._wanted.get(key)
        if wanted is None:
            if not self._wanted:
                self._start(self._read())
            wanted = self._wanted[key] = asyncio.get_running_loop().create_future()
        return await asyncio.shield(wanted)

    def _put(self, key: str, reply: Reply) -> None:
        """Keep a reply; it is there at once, and written soon."""
        self._asked_now.add(key)
        if not self._unwritten:
            self._start(self._write_soon())
        self._unwritten[key] = reply

    def _flush(self) -> None:
        """Write what is not written yet; by the thread that has waited."""
        for task in list(self._busy):  # they would wait for a thread that waits for them no longer
            task.get_loop().call_soon_threadsafe(task.cancel)
        self._write({key: self._unwritten.pop(key) for key in list(self._unwritten)})

    def _write(self, replies: Mapping[str, Reply]) -> None:
        if replies:
            self._store.put_many({key: reply.as_json() for key, reply in replies.items()})

    def _start(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)

    async def _read(self) -> None:
        for _ in range(_TURNS_TO_BEGIN):  # let all that begin now say what they want
            await asyncio.sleep(0)
        wanted, self._wanted = self._wanted, {}
        try:
            found = await self._iteration.off_loop(lambda: self._store.get_many(list(wanted)))
        except BaseException as failure:
            for future in wanted.values():
                future.cancel() if isinstance(failure, asyncio.CancelledError) else future.set_exception(failure)
            raise
        for key, future in wanted.items():
            future.set_result(Reply.from_json(found[key]) if key in found else None)

    async def _write_soon(self) -> None:
        await asyncio.sleep(WRITE_AFTER_S)
        batch = dict(self._unwritten)
        await self._iteration.off_loop(lambda: self._write(batch))
        for key in batch:
            self._unwritten.pop(key, None)
        if self._unwritten:
            self._start(self._write_soon())


class _NoStore:
    """A store that keeps nothing."""

    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        return {}

    def put_many(self, replies: Mapping[str, dict[str, Any]]) -> None:
        pass


_NO_STORE = _NoStore()


class _SharedCall:
    """A call that several wait for; it is given up when the last of them is."""

    def __init__(self, work: Awaitable[Reply]) -> None:
        self.task = asyncio.ensure_future(work)
        self._waiting = 0

    async def reply(self) -> Reply:
        """Wait for its reply."""
        self._waiting += 1
        try:
            return await asyncio.shield(self.task)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self.task.cancel()


_kept: WeakKeyDictionary[Iteration, dict[int, KeptReplies]] = WeakKeyDictionary()


def kept_replies(store: ReplyStore | None) -> KeptReplies | None:
    """Return the store as the running iteration sees it; None where no thread waits that could read it.

    Without a store the same call is still made once at a time.
    """
    iteration = current_iteration()
    if iteration is None:
        return None
    store = _NO_STORE if store is None else store
    kept = _kept.setdefault(iteration, {})
    if id(store) not in kept:
        kept[id(store)] = KeptReplies(store, iteration)
    return kept[id(store)]
