"""`manage.py sweep --grow`: table, files, the whole as a run has it, and what is refused."""

from __future__ import annotations

import csv
import io
import json

import pytest

from evaluation.models import Run
from evaluation.queries.sweep_table import sweep_table
from evaluation.services.growing import grow
from evaluation.spec import RunOptions
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.evaluation.sweeps import swept
from tests.factories import ROSETTA, WORDS, make_corpus, make_testset, rosetta_drafts

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def testset():
    """Three pairs on one of two documents; the other has many chunks about the like."""
    other = "\n\n".join(f"Stone {number} was found in the year {1700 + number} by a scholar." for number in range(80))
    corpus = make_corpus(files={"rosetta_stone.txt": ROSETTA, "stones.txt": other})
    return make_testset(corpus, "first", rosetta_drafts(corpus.documents.get(name="rosetta_stone.txt")))


@pytest.fixture
def sweep(manage, testset):
    common = ("--corpus", testset.corpus.name, "--testset", "first", "--set", f"embedding={WORDS}", "--split", "all")
    return lambda *given: manage("sweep", *common, *given)


def test_growing_parts_are_a_table_and_files(sweep, tmp_path):
    files = ["--csv", str(tmp_path / "grow.csv"), "--json", str(tmp_path / "grow.json")]
    done = sweep("--grow", "--set", "chunk_size=60", "--set", "chunk_overlap=0", "--set", "top_k=2", *files)
    assert (done.returncode, done.stderr) == (0, "")
    assert "6 questions; " in done.stdout
    assert "Context matching with 10 times the chunks is not known. There are only 3 pairs" in done.stdout
    rows = list(csv.DictReader(io.StringIO((tmp_path / "grow.csv").read_text(encoding="utf-8"))))
    sizes = [int(row["chunks"]) for row in rows]
    assert sizes == sorted(set(sizes))
    assert [float(row["share"]) for row in rows] == [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 10]
    assert sizes[-1] == 10 * sizes[-2]
    ranks = [float(row["mrr"]) for row in rows[:-1]]
    assert ranks == sorted(ranks, reverse=True)  # nothing that joins brings the evidence forward
    assert rows[-2]["mrr_difference"] == rows[-1]["mrr"] == ""
    whole = json.loads((tmp_path / "grow.json").read_text())
    assert whole["rows"][0]["mrr"] == ranks[0]
    assert set(whole["not_extrapolated"]) == {"context_matching", "hit_rate", "mrr"}
    assert not Run.objects.exists()


@pytest.mark.parametrize("retriever", ["dense", "bm25", "hybrid"])
def test_the_whole_scores_as_a_run_of_retrieval_alone_does(testset, retriever):
    settings = {"embedding": WORDS, "retriever": retriever, "chunk_size": 60, "chunk_overlap": 0}
    if retriever == "bm25":
        del settings["embedding"]
    done = sweep_table(swept(testset, {"top_k": "2,3"}, settings, retrieval_only=True)).rows[0]
    spec = PipelineSpec.create(settings | {"top_k": 2})
    found = grow(corpus=testset.corpus, testset=testset, spec=spec, run=RunOptions())
    assert {name: each.points[-1].score.mean for name, each in found.scores.items()} == {
        name: pytest.approx(done.metrics[name].mean) for name in found.scores
    }


@pytest.mark.parametrize(
    ("given", "said", "status"),
    [
        (("--grow", "--grid", "top_k=1,2"), "leave out --grid", 2),
        (("--grow", "--plan", "--delta", "0.1"), "leave out --delta, --plan", 2),
        ((), "--grid chunk_size=200,400,800, or --grow", 2),
        (("--grow", "--set", "retriever=mmr"), "not with retriever=mmr", 1),
        (("--grow", "--set", "context_budget=100"), "not with context_budget=100", 1),
    ],
)
def test_what_does_not_go_together_is_refused(sweep, given, said, status):
    done = sweep(*given)
    assert done.returncode == status
    assert said in done.stderr
