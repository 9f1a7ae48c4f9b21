"""A data folder with a corpus and a test set, made once and copied for each test; a model server of our own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import ROOT
from tests.fake_openai import Behaviour, FakeOpenAI
from tests.faults.bench import Bench

SAMPLE = ROOT / "workbench" / "sample" / "warsaw.txt"
AT_ONCE = 4


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A corpus `city` and its test set `first` of 8 pairs and 4 out-of-scope questions: 20 to ask."""
    bench = Bench(tmp_path_factory.mktemp("prepared"))
    bench.done("ingest", str(SAMPLE), "--corpus", "city")
    bench.done(
        *("generate_testset", "--corpus", "city", "--name", "first", "--pairs", "8", "--out-of-scope", "4"),
    )
    return bench


@pytest.fixture
def slow_server(fake_openai_server: FakeOpenAI) -> FakeOpenAI:
    """A server that takes 0.3 s for each answer."""
    fake_openai_server.reset()
    fake_openai_server.always = Behaviour.slow(0.3)
    return fake_openai_server


@pytest.fixture
def bench(prepared: Bench, slow_server: FakeOpenAI, tmp_path: Path) -> Iterator[Bench]:
    """A copy of the prepared folder whose processes call the slow server, four questions at once."""
    own = prepared.copy(
        tmp_path / "bench",
        OPENAI_BASE_URL=slow_server.base_url,
        OPENAI_API_KEY="sk-test",
        WORKBENCH_CONCURRENCY=str(AT_ONCE),
    )
    yield own
    own.kill_all()
