"""The two processes of `manage.py serve`: uvicorn here, the worker as a child that is kept alive."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable

import uvicorn
from django.conf import settings

_GRACE_S = 4.0
_RESTART_AFTER_S = 1.0


def open_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises OSError when the address is taken or not this machine's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    return listener


class Web(uvicorn.Server):
    """Uvicorn with Django; `ready` is called once pages can be fetched."""

    def __init__(self, ready: Callable[[], None]) -> None:
        config = uvicorn.Config(
            "workbench.asgi:application",
            lifespan="off",
            log_level="warning",
            access_log=False,
            # Streams (chat, progress) are open as long as a page is: they must not hold up the end.
            timeout_graceful_shutdown=2,
        )
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()


class WorkerProcess:
    """A `manage.py worker` child; a thread starts it again when it dies."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep_alive, name="worker-keeper", daemon=True)

    def start(self) -> None:
        """Start the worker and its keeper."""
        self._process = self._spawn()
        self._thread.start()

    def stop(self) -> None:
        """End the worker within seconds; what it had not finished goes on at the next start."""
        self._stopping.set()
        self._thread.join()
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _spawn(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, str(settings.BASE_DIR / "manage.py"), "worker", "--parent", str(os.getpid())],
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C reaches this process alone, which then ends the worker in order
        )

    def _keep_alive(self) -> None:
        while not self._stopping.wait(_RESTART_AFTER_S):
            if self._process is not None and self._process.poll() is not None:
                self._note(f"The worker ended with status {self._process.returncode}; starting it again.")
                self._process = self._spawn()
