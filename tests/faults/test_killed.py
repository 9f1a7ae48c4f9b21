"""kill -9 at the worst moment: the next worker goes on, nothing is lost, nothing is done twice."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.fake_openai import FakeOpenAI
from tests.faults.bench import Bench, kill, wait_for
from tests.faults.conftest import AT_ONCE

pytestmark = pytest.mark.slow
CHAT = '{"llm": "openai:gpt-test"}'


def rows(path: Path) -> list[dict[str, str]]:
    csv.field_size_limit(10**9)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_run_goes_on_after_its_worker_was_killed_twice(bench: Bench, slow_server: FakeOpenAI):
    run = bench.python(f"queue({CHAT}, repeat=4)")
    for asked in (20, 45):
        worker = bench.start("worker")
        wait_for(lambda asked=asked: len(slow_server.bodies()) >= asked)
        kill(worker)
    bench.start("worker")
    ended = bench.wait_for_end(run)
    assert (ended["state"], ended["error"], ended["failed"]) == ("done", "", 0)
    assert len(ended["rows"]) == len({tuple(row) for row in ended["rows"]}) == 80
    # Asked again is only what was in flight, or had just come and was not yet stored.
    assert 80 <= len(slow_server.bodies()) <= 80 + 2 * 2 * AT_ONCE
    assert (ended["scorings"], ended["current"]) == (1, 1)
    table = rows(bench.data / "runs" / str(run) / "eval.csv")
    assert len(table) == 80
    assert all(row["answer"] for row in table)
    assert all(row["knowledge_bounding"] for row in table)
    assert bench.end().strip() == "Working. Press Ctrl-C to stop."


def test_a_sweep_goes_on_after_its_worker_was_killed_and_asks_no_question_twice(bench: Bench, slow_server: FakeOpenAI):
    sweep = bench.python(f"queue_sweep({CHAT}, chunk_size='200,400', max_tokens='64,128')")
    for asked in (10, 45):
        worker = bench.start("worker")
        wait_for(lambda asked=asked: len(slow_server.bodies()) >= asked)
        kill(worker)
    bench.start("worker")
    wait_for(lambda: bench.python(f"sweep_state({sweep})")["state"] not in ("queued", "running"), 240, every=1)
    ended = bench.python(f"sweep_state({sweep})")
    assert (ended["state"], ended["error"], ended["failures"]) == ("done", "", 0)
    assert ended["runs"] == [["done", 20, 1]] * 4
    bodies = [json.dumps(body, sort_keys=True) for body in slow_server.bodies()]
    # Asked again is only what was in flight, or had just come and was not yet stored.
    assert len(bodies) - len(set(bodies)) <= 2 * 2 * AT_ONCE


def test_a_test_set_goes_on_after_its_worker_was_killed(bench: Bench, slow_server: FakeOpenAI):
    testset = bench.python(
        'start_generation(corpus=Corpus.objects.get(), name="second", '
        'spec=GeneratorSpec(llm="openai:gpt-test", pairs=6, out_of_scope=4)).pk'
    )
    stored = f"list(TestSet.objects.get(pk={testset}).questions.values_list('question_id', 'text'))"
    worker = bench.start("worker")
    wait_for(lambda: len(bench.python(stored)) >= 2, every=0.2)
    kill(worker)
    before = bench.python(stored)
    bench.start("worker")
    wait_for(lambda: bench.python(f"TestSet.objects.get(pk={testset}).task.state") in ("done", "failed"), 180, every=1)
    assert bench.python(f"TestSet.objects.get(pk={testset}).task.error") == ""
    after = bench.python(stored)
    assert [row for row in before if row not in after] == []
    table = rows(bench.data / "testsets" / str(testset) / "output.csv")
    assert len(table) == len(after) == len({row["question_id"] for row in table})
    simple = [row for row in table if row["kind"] == "simple"]
    assert len(simple) == 6
    assert len({row["spans"] for row in simple}) == 6
    assert sum(row["kind"] == "out_of_scope" for row in table) == 4


def test_an_index_goes_on_after_its_worker_was_killed(bench: Bench, tmp_path: Path):
    long = tmp_path / "long.txt"
    long.write_text(
        "\n\n".join(
            f"Shelf {number} of the archive holds the letters of the year {1000 + number}, bound in {number % 7} "
            f"volumes; the keeper of that time, number {number * 3} of the register, wrote their list."
            for number in range(1500)
        ),
        encoding="utf-8",
    )
    bench.done("ingest", str(long), "--corpus", "city")
    run = bench.python('queue({"chunk_size": 200, "chunk_overlap": "0"})')
    known = embedded(bench)
    worker = bench.start("worker")
    wait_for(lambda: embedded(bench) > known + 256)
    kill(worker)
    kept = embedded(bench)
    assert known + 256 < kept < 1500
    bench.start("worker")
    ended = bench.wait_for_end(run)
    assert (ended["state"], ended["error"], len(ended["rows"])) == ("done", "", 20)
    assert embedded(bench) >= 1500
    indexes = [path for path in (bench.data / "indexes").iterdir() if path.name.endswith(".tmp")]
    assert indexes == []


def embedded(bench: Bench) -> int:
    """Return how many passages were embedded and kept so far."""
    count = 0
    for path in (bench.data / "embeddings").glob("*.sqlite3"):
        with closing(sqlite3.connect(path, timeout=20)) as database:
            if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'vectors'").fetchone():
                count += database.execute("SELECT count(*) FROM vectors WHERE role = 'passage'").fetchone()[0]
    return count
