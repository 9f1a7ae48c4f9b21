"""manage.py serve and worker as processes: up at once, ended together, kept alive."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import ROOT, command_environment
from tests.serving import Served, wait_for


def gone(pid: int) -> bool:
    """True when no such process runs (a zombie does not run)."""
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True


@pytest.fixture
def served(data_dir, finished) -> Iterator[Served]:
    """Serve a copy of the finished data folder for one test: the worker has no sample to make."""
    shutil.copytree(finished, data_dir, dirs_exist_ok=True)
    server = Served(data_dir)
    try:
        yield server
    finally:
        server.kill()


def is_healthy(served: Served) -> bool:
    """True once the pages, the database and a worker are there."""
    return served.health() == (200, {"status": "ok", "database": True, "worker": True})


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_it_serves_and_ctrl_c_ends_web_and_worker(served):
    assert served.url.startswith("http://127.0.0.1:")
    wait_for(lambda: is_healthy(served))
    worker = served.worker_pid()
    assert worker
    assert served.stop(signal.SIGINT) == 0
    assert served.errors() == "Stopping.\n"
    assert gone(worker)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_worker_that_dies_is_started_again_and_sigterm_ends_both(served):
    wait_for(lambda: is_healthy(served))
    first = served.worker_pid()
    assert first
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: served.worker_pid() not in (None, first))
    second = served.worker_pid()
    assert second
    assert served.stop(signal.SIGTERM) == 0
    assert "Stopping.\n" in served.errors()
    assert gone(second)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_worker_does_not_outlive_a_killed_server(served):
    wait_for(lambda: served.health()[0] == 200)
    worker = served.worker_pid()
    assert worker
    served.process.kill()
    wait_for(lambda: gone(worker))


def test_a_port_in_use_is_said_plainly(manage):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = manage("serve", "--port", str(port))
    assert result.returncode == 1
    assert result.stdout == ""
    assert f"Cannot serve on 127.0.0.1:{port}" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 2


def test_a_worker_alone_ends_at_ctrl_c(data_dir, finished):
    shutil.copytree(finished, data_dir, dirs_exist_ok=True)
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
    _, said = process.communicate(timeout=300)
    assert said == "Stopping after the current step. Press Ctrl-C again to stop at once.\n"
    assert process.returncode == 0
