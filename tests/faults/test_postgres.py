"""The same work on PostgreSQL, by two workers at once, with the same scores as on SQLite."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.fake_openai import FakeOpenAI
from tests.faults.bench import Bench
from tests.faults.conftest import SAMPLE
from tests.faults.postgres import missing, postgres

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing()), reason=missing())]


@pytest.fixture(scope="module")
def database():
    with postgres() as url:
        yield url


@pytest.fixture
def machines(database: str, slow_server: FakeOpenAI, tmp_path: Path):
    """Yield two data folders on one database, as those of two machines are."""
    environment = {
        "DATABASE_URL": database,
        "OPENAI_BASE_URL": slow_server.base_url,
        "OPENAI_API_KEY": "sk-test",
        "WORKBENCH_CONCURRENCY": "4",
    }
    both = [Bench(tmp_path / name, **environment) for name in ("postgres", "elsewhere")]
    yield both
    for bench in both:
        bench.kill_all()


def test_workers_of_two_data_folders_do_everything_once_with_the_scores_of_sqlite(
    machines: list[Bench], prepared: Bench, slow_server: FakeOpenAI, tmp_path: Path
):
    on_postgres = machines[0]
    on_postgres.done("ingest", str(SAMPLE), "--corpus", "city")
    on_postgres.done(
        *("generate_testset", "--corpus", "city", "--name", "first", "--pairs", "8", "--out-of-scope", "4")
    )
    questions = "list(Question.objects.order_by('position').values_list('question_id', 'text'))"
    assert on_postgres.python(questions) == prepared.python(questions)

    runs = [on_postgres.python("queue({})"), on_postgres.python('queue({"llm": "openai:gpt-test"}, repeat=12)')]
    for machine in machines:
        machine.start("worker")
    builtin, chat = (on_postgres.wait_for_end(run) for run in runs)
    for ended, count in ((builtin, 20), (chat, 240)):
        assert (ended["state"], ended["error"], ended["failed"]) == ("done", "", 0)
        assert len(ended["rows"]) == len({tuple(row) for row in ended["rows"]}) == count
        assert (ended["scorings"], ended["current"]) == (1, 1)
        assert ended["attempts"] == [1]
    assert len(slow_server.bodies()) == 240  # nothing was asked twice
    workers = on_postgres.python(f"list(WorkUnit.objects.filter(task__run={runs[1]}).values_list('worker', flat=True))")
    assert len(Counter(worker.split(":")[1] for worker in workers)) == 2
    errors = "".join(machine.end() for machine in machines)
    assert "ERROR" not in errors
    assert "Traceback" not in errors

    sqlite = prepared.copy(tmp_path / "sqlite")
    sqlite.done("evaluate", "--corpus", "city", "--testset", "first")
    expected = sqlite.state(sqlite.python("Run.objects.get().pk"))
    assert builtin["scores"] == pytest.approx(expected["scores"])
    files = [list((bench.data / "testsets").glob("*/output.csv")) for bench in (on_postgres, prepared)]
    assert files[0][0].read_bytes() == files[1][0].read_bytes()


def test_a_server_that_is_not_there_is_said_plainly(tmp_path: Path):
    bench = Bench(tmp_path / "away", DATABASE_URL="postgres://workbench@127.0.0.1:1/workbench")
    status, _, errors = bench.finish(bench.start("ask", "Why?", "--corpus", "city"))
    assert status == 1
    assert "Traceback" not in errors
    assert "Check that it runs and can be reached" in errors


def test_no_migration_is_missing(database: str, tmp_path: Path):
    bench = Bench(tmp_path / "checked", DATABASE_URL=database)
    assert "No changes detected" in bench.done("makemigrations", "--check", "--dry-run")
