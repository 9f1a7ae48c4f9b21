"""A disk that is full or read-only: a plain message, and what is stored stays."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT, command_environment
from tests.faults.bench import Bench, wait_for

pytestmark = pytest.mark.slow
EVALUATE = ("evaluate", "--corpus", "city", "--testset", "first")


def mounted(data: Path, mount: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command with a file system of its own over the data folder; `mount` makes it, in shell, with $DATA."""
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("file systems can be mounted here by root alone")
    script = f'{mount} && exec "$PYTHON" manage.py "$@"'
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", *arguments],
        cwd=ROOT,
        env=command_environment(data) | {"DATA": str(data), "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def plain(result: subprocess.CompletedProcess[str]) -> str:
    """Return the plain lines of a failure."""
    assert result.returncode == 1, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    assert 1 <= len(result.stderr.strip().splitlines()) <= 2, result.stderr
    return result.stderr


READ_ONLY = 'mount --bind "$DATA" "$DATA" && mount -o remount,ro,bind "$DATA"'


@pytest.mark.parametrize("arguments", [EVALUATE, ("ingest", "README.md", "--corpus", "city"), ("demo",), ("serve",)])
def test_a_read_only_data_folder_is_said_with_the_mend(bench: Bench, arguments):
    message = plain(mounted(bench.data, READ_ONLY, *arguments))
    assert "Read-only" in message or "readonly" in message
    assert "WORKBENCH_DATA_DIR" in message


def test_a_fresh_data_folder_that_is_read_only(tmp_path: Path):
    (tmp_path / "fresh").mkdir()
    message = plain(mounted(tmp_path / "fresh", READ_ONLY, "demo"))
    assert "cannot be written" in message


@pytest.mark.parametrize("free_kb", [0, 60, 600])
def test_a_full_disk_is_said_and_keeps_what_is_stored(bench: Bench, tmp_path: Path, free_kb: int):
    used = sum(path.stat().st_size for path in bench.data.rglob("*") if path.is_file()) // 1024
    small = (
        f'mkdir "$DATA.small" && mount -t tmpfs -o size={used + 400 + free_kb}k none "$DATA.small" && '
        'cp -a "$DATA/." "$DATA.small" && mount --move "$DATA.small" "$DATA" && '
        f'(dd if=/dev/zero of="$DATA/ballast" bs=1k status=none 2>/dev/null; '
        f'truncate -s -{free_kb}k "$DATA/ballast")'
    )
    message = plain(mounted(bench.data, small, *EVALUATE, "--set", "chunk_size=120"))
    assert "full" in message
    assert "Make room" in message


def test_a_worker_waits_for_a_database_that_is_locked_by_another_program(bench: Bench):
    run = bench.python("queue({})")
    bench.python("BackgroundTask.objects.count()")
    locker = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sqlite3, sys, time; d = sqlite3.connect(sys.argv[1], isolation_level=None);"
            "d.execute('BEGIN IMMEDIATE'); print('locked', flush=True); time.sleep(30)",
            str(bench.data / "workbench.sqlite3"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert locker.stdout is not None
    locker.stdout.readline()
    worker = bench.start("worker")
    assert locker.wait(60) == 0
    locker.stdout.close()
    ended = bench.wait_for_end(run)
    assert (ended["state"], len(ended["rows"])) == ("done", 20)
    assert worker.poll() is None
    assert "Traceback" not in bench.end()


def test_four_workers_write_to_sqlite_without_locking_each_other_out(bench: Bench):
    runs = [bench.python('queue({"llm": "openai:gpt-test"}, repeat=8)') for _ in range(3)]
    for _ in range(4):
        bench.start("worker")
    for run in runs:
        ended = bench.wait_for_end(run, 300)
        assert (ended["state"], ended["error"], ended["failed"]) == ("done", "", 0)
        assert len({tuple(row) for row in ended["rows"]}) == 160
        assert (ended["scorings"], ended["current"], ended["attempts"]) == (1, 1, [1])
    errors = bench.end()
    assert "locked" not in errors
    assert "Traceback" not in errors
    wait_for(lambda: bench.python("WorkerHeartbeat.objects.count()") == 0, 10, every=0.5)
