"""Which processes are alive, and staying alive while the database is away."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from rag_pipeline.background.storage_problems import DATABASE_AWAY, storage_problem
from rag_pipeline.models import WorkerHeartbeat

logger = logging.getLogger(__name__)

BEAT_S = 5.0


def process_name() -> str:
    """Return `host:pid` of this process."""
    return f"{socket.gethostname()[:60]}:{os.getpid()}"


def process_lives(worker: str) -> bool:
    """Tell whether `host:pid[:claim]` is alive; processes of other machines are taken to be (their leases expire)."""
    host, _, rest = worker.partition(":")
    pid = rest.partition(":")[0]
    if host != socket.gethostname()[:60] or not pid.isdigit():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def tolerating_faults() -> Iterator[list[str]]:
    """Log a failing database in one line and leave its connection, so that the next step opens another."""
    faults: list[str] = []
    try:
        yield faults
    except DATABASE_AWAY as error:
        faults.append(storage_problem(error))
        logger.error("%s Waiting for it.", faults[0])
        connection.close()


@contextmanager
def beating(beat: Callable[[], None]) -> Iterator[None]:
    """Call `beat` now and every few seconds from a thread, with a database connection of its own."""
    ended = threading.Event()

    def try_beat() -> None:
        with tolerating_faults():  # one missed beat is no harm
            beat()

    def loop() -> None:
        try:
            while not ended.wait(BEAT_S):
                try_beat()
        finally:
            connection.close()

    try_beat()
    thread = threading.Thread(target=loop, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def note_worker(name: str) -> None:
    """Write down that a worker lives; those not seen for an hour are forgotten."""
    WorkerHeartbeat.objects.update_or_create(name=name, defaults={"seen": timezone.now()})
    WorkerHeartbeat.objects.filter(seen__lt=timezone.now() - timedelta(hours=1)).delete()
