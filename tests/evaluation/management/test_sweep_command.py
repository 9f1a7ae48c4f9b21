"""`manage.py sweep` from the command line: plan, table, files, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from evaluation.models import Run, Sweep
from tests.evaluation.sweeps import with_room
from tests.factories import WORDS, make_testset
from tests.fake_openai import Behaviour

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sweep(manage):
    """A function that sweeps a small test set, whatever else is given."""
    testset = make_testset(name="first")
    common = ("--corpus", testset.corpus.name, "--testset", "first", "--eval-embedding", WORDS)
    return lambda *given: manage("sweep", *common, "--set", f"embedding={WORDS}", *given)


def test_a_sweep_shows_its_plan_its_table_and_what_to_use(sweep, tmp_path):
    files = ["--csv", str(tmp_path / "sweep.csv"), "--json", str(tmp_path / "sweep.json")]
    done = sweep("--grid", "chunk_size=60..240 x 2", "--grid", "top_k=1,2", "--split", "all", "--name", "sizes", *files)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "6 configurations over 8 questions"
    assert "Indexes: 3 to compute, 0 there already" in done.stdout
    assert lines.index("Model calls: 0") < next(at for at, line in enumerate(lines) if line.startswith("Chunk size"))
    assert sum(line.rstrip().endswith("best") for line in lines) == 1
    assert "There are only 3 pairs" in done.stdout
    assert Sweep.objects.get().name == "sizes"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "sweep.csv").read_text(encoding="utf-8"))))
    assert [(row["chunk_size"], row["top_k"]) for row in rows] == [
        (size, k) for size in ("60", "120", "240") for k in ("1", "2")
    ]
    assert all(row["state"] == "done" and row["total"] and row["total_low"] for row in rows)
    whole = json.loads((tmp_path / "sweep.json").read_text())
    assert whole["recommendation"]["settings"]["chunk_size"] in (60, 120, 240)


def test_the_plan_alone_runs_nothing(sweep):
    done = sweep("--grid", "retriever=dense,hybrid", "--grid", "hybrid_weight=0.3,0.7", "--plan", "--split", "all")
    assert done.returncode == 0
    assert "1 folded, the same thing:" in done.stdout
    assert "nothing reads hybrid weight there" in done.stdout
    assert not Run.objects.exists()


def test_the_plan_asks_a_model_only_for_a_pilot(sweep, fake_openai):
    model = ("--grid", "llm=openai:gpt-test", "--grid", "top_k=1,2", "--split", "all", "--plan")
    assert sweep(*model).returncode == 0
    assert not fake_openai.bodies()
    assert "openai:gpt-test: 3 questions as a pilot" in sweep(*model, "--pilot").stdout
    assert len(fake_openai.bodies()) == 3


def test_what_cannot_work_is_listed_and_the_rest_is_run(sweep):
    done = sweep("--grid", "chunk_size=100,400", "--grid", "chunk_overlap=200", "--split", "all", "--retrieval-only")
    assert done.returncode == 0
    assert "1 left out, cannot work:" in done.stdout
    assert Run.objects.count() == 1


def test_the_same_budget_of_context_for_all(sweep):
    done = sweep("--grid", "chunk_size=60,200", "--compare-at", "tokens:60", "--retrieval-only", "--split", "all")
    assert done.returncode == 0
    assert {run.pipeline["context_budget"] for run in Run.objects.all()} == {60}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--grid", "chunk_sise=200"), "chunk_size"),
        (("--grid", "chunk_size"), "name=values"),
        (("--grid", "chunk_size=800..200 x 2"), "no end"),
        (("--grid", "prompt=No such prompt"), "no prompt called"),
        (("--grid", "prompt=@nowhere.txt"), "cannot be read"),
        (("--grid", "chunk_size=5"), "at least 10"),
        (("--grid", "top_k=2", "--compare-at", "tokens:100"), "top_k"),
        (("--grid", "top_k=2", "--compare-at", "words:100"), "tokens:1000"),
        (("--grid", "top_k=2", "--delta", "2"), "less than"),
    ],
)
def test_a_wrong_value_is_wrong_usage(sweep, given, said):
    done = sweep(*given)
    assert done.returncode == 2
    assert said in done.stderr
    assert not Run.objects.exists()


def test_a_sweep_in_which_nothing_could_be_scored_fails_with_the_reason(sweep, fake_openai):
    fake_openai.next(*[Behaviour.rejected_key()] * 40)
    done = sweep("--grid", "max_tokens=32,64", "--set", "llm=openai:gpt-test", "--split", "all")
    assert done.returncode == 1
    assert "No configuration could be scored." in done.stderr
    assert "key" in done.stderr
    assert "failed" in done.stdout


def test_fresh_pairs_confirm_and_it_is_said_how_many_there_are(manage, monkeypatch):
    monkeypatch.setattr("evaluation.services.generation.WRITER_EMBEDDING", WORDS)
    where = ("--corpus", with_room("first").corpus.name, "--testset", "first", "--set", f"embedding={WORDS}")
    done = manage(
        "sweep", *where, "--grid", "chunk_size=60", "--retrieval-only", "--split", "all", "--fresh-pairs", "9"
    )
    assert done.returncode == 0
    assert re.search(r"[1-9] of 9 fresh pairs could be written: test set “first, fresh for sweep \d+”", done.stdout)
    assert done.stdout.count("On fresh pairs: ") == 2
