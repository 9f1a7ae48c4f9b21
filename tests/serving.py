"""A real `manage.py serve` for tests: free port, own data folder, own worker."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.commands import ROOT, command_environment


class Served:
    """A running `manage.py serve`; its standard error goes into a file beside the data folder."""

    def __init__(self, data: Path, port: int = 0, environment: Mapping[str, str] | None = None) -> None:
        self.data = data
        self._log = data.with_name(f"{data.name}-errors.txt")
        with self._log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(ROOT / "manage.py"), "serve", "--port", str(port)],
                cwd=ROOT,
                env=command_environment(data) | {"PYTHONUNBUFFERED": "1"} | dict(environment or {}),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout is not None
        greeting = self.process.stdout.readline()
        self.url = greeting.partition("(")[0].split()[-1] if greeting else ""

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.url.rpartition(":")[2])

    def health(self) -> tuple[int, dict[str, object]]:
        """Return status and body of /healthz."""
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=120) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def worker_pid(self) -> int | None:
        """Return the process id of the worker child (Linux)."""
        pids: list[int] = []
        for thread in Path(f"/proc/{self.process.pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError):  # a thread may end while we look
                pids += map(int, (thread / "children").read_text().split())
        return max(pids, default=None)

    def errors(self) -> str:
        """Return what was written to standard error so far."""
        return self._log.read_text()

    def stop(self, how: signal.Signals = signal.SIGINT) -> int:
        """End it as Ctrl-C would; return its exit status."""
        self.process.send_signal(how)
        self.process.communicate(timeout=300)
        return self.process.returncode

    def kill(self) -> None:
        """End it at once; its worker notices and ends too."""
        self.process.kill()
        self.process.communicate()


def wait_for(condition: Callable[[], object], seconds: float = 300) -> None:
    """Wait until the condition holds; fail when it never does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)
