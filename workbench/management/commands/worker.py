"""manage.py worker: does the background work until it is stopped."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType
from typing import Any

from django.core.management.base import CommandParser

from rag_pipeline.background.tasks import run_worker
from rag_pipeline.management.base import WorkbenchCommand

STDERR = 2
_NICER = 10


class Command(WorkbenchCommand):
    """A worker process; several may run side by side."""

    help = "Do background work (generating test sets, evaluating) until Ctrl-C. `manage.py serve` starts one itself."
    example = "manage.py worker"

    def add_arguments(self, parser: CommandParser) -> None:
        """`--parent` is how `serve` makes sure that no worker outlives it."""
        parser.add_argument("--parent", type=int, metavar="PID", help="end when this process is gone")

    def run(self, **options: Any) -> None:
        """Work until told to stop; what is not finished goes on with the next worker."""
        parent = options["parent"]
        stop = threading.Event()
        self._stop_on_signal(stop)
        if parent is not None:
            if hasattr(os, "nice"):  # the website beside it goes first: a page must not wait for an embedding
                os.nice(_NICER)
            threading.Thread(target=_watch_parent, args=(parent, stop), name="parent", daemon=True).start()
        else:
            self.note("Working. Press Ctrl-C to stop.")
        run_worker(stop)

    def _stop_on_signal(self, stop: threading.Event) -> None:
        def ask(signum: int, frame: FrameType | None) -> None:
            if stop.is_set():
                raise KeyboardInterrupt
            stop.set()
            if signum == signal.SIGINT:
                # Not through the stream: a signal may come while the main thread is writing to it.
                os.write(STDERR, b"Stopping after the current step. Press Ctrl-C again to stop at once.\n")

        signal.signal(signal.SIGINT, ask)
        signal.signal(signal.SIGTERM, ask)


def _watch_parent(parent: int, stop: threading.Event) -> None:
    """Stop when the process that started this one has ended, however it ended."""
    while not stop.wait(1.0):
        if os.getppid() != parent:
            stop.set()
