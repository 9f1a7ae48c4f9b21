"""Model replies kept by the content of what was asked, for coroutines: read and written in batches, off the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rag_pipeline.llm.loop_thread import off_loop

WRITE_AFTER_S = 0.25
"""How long replies are collected before they are written together."""

Reply = Mapping[str, Any]


class ReplyStore(Protocol):
    """Where replies are kept by the content of what was asked."""

    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the replies that are there, by key."""

    def put_many(self, model: str, replies: Mapping[str, Reply]) -> None:
        """Keep replies, by key."""


class KeptReplies:
    """A store as coroutines see it: all that is asked for in one turn of the loop is read at once.

    Use it in what `iterate_blocking` runs; whoever ran that calls `flush` at the end, however it ended.
    """

    def __init__(self, store: ReplyStore, model: str) -> None:
        self._store = store
        self._model = model
        self._wanted: dict[str, asyncio.Future[Reply | None]] = {}
        self._unwritten: dict[str, Reply] = {}
        self._busy: set[asyncio.Task[None]] = set()

    async def get(self, key: str) -> Reply | None:
        """Return the reply that is kept, None where none is."""
        if key in self._unwritten:
            return self._unwritten[key]
        wanted = self._wanted.get(key)
        if wanted is None:
            if not self._wanted:
                self._start(self._read())
            wanted = self._wanted[key] = asyncio.get_running_loop().create_future()
        return await asyncio.shield(wanted)

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply; it is there at once, and written soon."""
        if not self._unwritten:
            self._start(self._write_soon())
        self._unwritten[key] = reply

    def flush(self) -> None:
        """Write what is not written yet. Not to be called from the loop."""
        left, self._unwritten = self._unwritten, {}
        for task in list(self._busy):  # they would wait for a thread that waits for them no longer
            task.get_loop().call_soon_threadsafe(task.cancel)
        if left:
            self._store.put_many(self._model, left)

    def _start(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)

    async def _read(self) -> None:
        await asyncio.sleep(0)  # let all that begin now say what they want
        wanted, self._wanted = self._wanted, {}
        try:
            found = await off_loop(lambda: self._store.get_many(list(wanted)))
        except BaseException as failure:
            for future in wanted.values():
                future.cancel() if isinstance(failure, asyncio.CancelledError) else future.set_exception(failure)
            raise
        for key, future in wanted.items():
            future.set_result(found.get(key))

    async def _write_soon(self) -> None:
        await asyncio.sleep(WRITE_AFTER_S)
        batch = dict(self._unwritten)
        await off_loop(lambda: self._store.put_many(self._model, batch))
        for key in batch:
            self._unwritten.pop(key, None)
        if self._unwritten:
            self._start(self._write_soon())
