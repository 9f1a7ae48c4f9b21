"""manage.py serve and worker as processes: up at once, ended together, kept alive."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.commands import ROOT, command_environment, run_command


class Served:
    """A running `manage.py serve` on a free port."""

    def __init__(self, data: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "serve", "--port", "0"],
            cwd=ROOT,
            env=command_environment(data) | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.greeting = self.process.stdout.readline()
        self.url = self.greeting.partition("(")[0].split()[-1]

    def health(self) -> tuple[int, dict[str, object]]:
        """Return status and body of /healthz."""
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=10) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def worker_pid(self) -> int | None:
        """Return the process id of the worker child."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        pids = {
            int(pid) for task in children.parent.parent.iterdir() for pid in (task / "children").read_text().split()
        }
        return max(pids, default=None)


def wait_for(condition: Callable[[], object], seconds: float = 20) -> None:
    """Wait until the condition holds; fail when it never does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


def gone(pid: int) -> bool:
    """True when no such process runs (a zombie does not run)."""
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True


@pytest.fixture
def served(data_dir) -> Iterator[Served]:
    """Serve in a fresh data folder for one test."""
    server = Served(data_dir)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_and_one_signal_ends_web_and_worker(served, how):
    assert served.url.startswith("http://127.0.0.1:")
    wait_for(lambda: served.health() == (200, {"status": "ok", "database": True, "worker": True}))
    worker = served.worker_pid()
    assert worker
    served.process.send_signal(how)
    _, stderr = served.process.communicate(timeout=10)
    assert served.process.returncode == 0
    assert stderr.strip() == "Stopping."
    assert gone(worker)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_worker_that_dies_is_started_again(served):
    wait_for(lambda: served.health()[0] == 200)
    first = served.worker_pid()
    assert first
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: served.worker_pid() not in (None, first))


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_worker_does_not_outlive_a_killed_server(served):
    wait_for(lambda: served.health()[0] == 200)
    worker = served.worker_pid()
    assert worker
    served.process.kill()
    wait_for(lambda: gone(worker))


def test_a_port_in_use_is_said_plainly(data_dir):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run_command("serve", "--port", str(port), data=data_dir)
    assert result.returncode == 1
    assert result.stdout == ""
    assert f"Cannot serve on 127.0.0.1:{port}" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 2


def test_a_worker_alone_ends_at_ctrl_c(data_dir):
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), "worker"],
        cwd=ROOT,
        env=command_environment(data_dir),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "Working. Press Ctrl-C to stop.\n"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == 0
