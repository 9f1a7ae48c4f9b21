"""manage.py serve: the website and a worker, ended together."""

from __future__ import annotations

import argparse
import signal
import socket
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from rag_pipeline.management.base import WorkbenchCommand
from workbench.server import Web, WorkerProcess, open_socket
from workbench.services.sample import queue_sample


class Command(WorkbenchCommand):
    """Serves until Ctrl-C or SIGTERM; the worker is started again when it dies."""

    help = "Serve the workbench with a background worker. One Ctrl-C ends both."
    example = "manage.py serve --port 8001"

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to listen."""
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
        parser.add_argument("--port", type=port_number, default=8000, help="0 takes a free one (default: 8000)")

    def run(self, **options: Any) -> None:
        """Listen first, so that a taken port is said before anything starts."""
        listener = self._listen(options["host"], options["port"])
        self._allow(options["host"])
        queue_sample()
        for way in (signal.SIGINT, signal.SIGTERM):  # also where a shell started this with Ctrl-C ignored
            signal.signal(way, _interrupt)
        worker = WorkerProcess(self.note)
        worker.start()
        try:
            Web(lambda: self.out(_greeting(listener))).run(sockets=[listener])
        except KeyboardInterrupt:
            self.note("Stopping.")
        finally:
            worker.stop()
            listener.close()

    def _listen(self, host: str, port: int) -> socket.socket:
        try:
            return open_socket(host, port)
        except OSError as error:
            reason = error.strerror or str(error)
            raise CommandError(
                f"Cannot serve on {host}:{port}: {reason}.\n"
                f"Stop the program that uses it, or choose another port: manage.py serve --port {port + 1}"
            ) from error

    def _allow(self, host: str) -> None:
        """A name given here may be used in the address bar, too."""
        if host in ("127.0.0.1", "localhost", "::1"):
            return
        self.note("The workbench has no accounts: everyone who reaches this address can read and change everything.")
        if host not in ("0.0.0.0", "::"):
            settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, host]


def port_number(text: str) -> int:
    """Check a port while the arguments are read. Raises ValueError for what is no number."""
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is no port: choose one from 0 to 65535")
    return port


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _greeting(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    host = "127.0.0.1" if host == "0.0.0.0" else f"[{host}]" if ":" in host else host
    return f"The workbench is at http://{host}:{port}  (Ctrl-C ends it)"
