"""Ctrl-C, SIGTERM and two at once: in order, soon, and without a trace of the other."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.fake_openai import FakeOpenAI
from tests.faults.bench import Bench, wait_for
from tests.faults.conftest import AT_ONCE
from tests.serving import Served

pytestmark = pytest.mark.slow
EVALUATE = ("evaluate", "--corpus", "city", "--testset", "first")
CHAT = ("--set", "llm=openai:gpt-test", "--repeat", "4")


def test_ctrl_c_cancels_an_evaluation_which_can_go_on_later(bench: Bench, slow_server: FakeOpenAI):
    command = bench.start(*EVALUATE, *CHAT)
    wait_for(lambda: len(slow_server.bodies()) >= 20)
    command.send_signal(signal.SIGINT)
    status, _, errors = bench.finish(command, 10)
    assert (status, errors.strip()) == (130, "Stopped.")
    run = bench.python("Run.objects.get().pk")
    stopped = bench.state(run)
    assert stopped["state"] == "cancelled"
    assert 0 < len(stopped["rows"]) < 80
    bench.python(f"resume_run(run=Run.objects.get(pk={run}))")
    bench.start("worker")
    ended = bench.wait_for_end(run)
    assert (ended["state"], len(ended["rows"]), ended["current"]) == ("done", 80, 1)
    assert len(slow_server.bodies()) <= 80 + 2 * AT_ONCE


def test_ctrl_c_while_the_index_is_made(bench: Bench, tmp_path: Path):
    long = tmp_path / "long.txt"
    long.write_text("\n\n".join(f"Room {number} has {number + 3} chairs." * 8 for number in range(1500)))
    bench.done("ingest", str(long), "--corpus", "city")
    command = bench.start(*EVALUATE, "--set", "chunk_size=200")
    wait_for(lambda: bench.python("list(BackgroundTask.objects.values_list('stage', flat=True))")[-1] == "index")
    command.send_signal(signal.SIGINT)
    status, _, errors = bench.finish(command, 20)
    assert (status, errors.strip()) == (130, "Stopped.")
    assert bench.python("Run.objects.get().task.state") == "cancelled"


def test_two_evaluations_at_once_get_the_same_scores(bench: Bench):
    commands = [bench.start(*EVALUATE, "--name", name) for name in ("one", "other")]
    for command in commands:
        status, _, errors = bench.finish(command)
        assert (status, errors) == (0, "")
    one, other = (bench.state(run) for run in sorted(bench.python("list(Run.objects.values_list('pk', flat=True))")))
    assert one["state"] == other["state"] == "done"
    assert len(one["rows"]) == len(other["rows"]) == 20
    assert one["scores"] == other["scores"]
    assert bench.python("Index.objects.count()") == 1
    assert list((bench.data / "indexes").glob("*.tmp")) == []


def test_two_commands_at_once_in_a_fresh_folder(tmp_path: Path):
    bench = Bench(tmp_path / "fresh")
    commands = [bench.start(*EVALUATE) for _ in range(2)]
    for command in commands:
        status, _, errors = bench.finish(command)
        assert status == 1
        assert len(errors.strip().splitlines()) <= 2
        assert "city" in errors


def test_sigterm_ends_serve_and_its_busy_worker_within_ten_seconds(bench: Bench, slow_server: FakeOpenAI, monkeypatch):
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "WORKBENCH_CONCURRENCY"):
        monkeypatch.setenv(name, bench.environment[name])
    run = bench.python('queue({"llm": "openai:gpt-test"}, repeat=4)')
    served = Served(bench.data)
    try:
        wait_for(lambda: len(slow_server.bodies()) >= 12)
        worker = served.worker_pid()
        start = time.monotonic()
        assert served.stop(signal.SIGTERM) == 0
        wait_for(lambda: not Path(f"/proc/{worker}").exists(), 10)
        assert time.monotonic() - start < 10
        asked = len(slow_server.bodies())
        time.sleep(1)
        assert len(slow_server.bodies()) == asked
    finally:
        served.kill()
    assert bench.state(run)["state"] == "running"
    bench.start("worker")
    ended = bench.wait_for_end(run)
    assert (ended["state"], len(ended["rows"]), ended["current"]) == ("done", 80, 1)
    assert len(slow_server.bodies()) <= 80 + 2 * AT_ONCE
