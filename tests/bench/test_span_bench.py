"""Any settings of the pipeline are run and scored on documents made here; the choice is made on other questions."""

from __future__ import annotations

import numpy as np
import pytest

from rag_pipeline.types import SourceDoc, Span
from tests.bench.bench_retrieval_best import AIMS, Tried, choose, halves
from tests.bench.corpora import Asked
from tests.bench.span_bench import SpanBench
from tests.bench.span_scores import MEASURES

WHALES = "The blue whale weighs up to 190 tonnes. It feeds on krill in cold seas.\n\n"
RAILWAYS = "The first steam locomotive ran in 1804. It pulled ten tons of iron in Wales.\n\n"
BREAD = "Sourdough rises by wild yeast. The dough rests for a night before it is baked."
TEXT = WHALES + RAILWAYS + BREAD


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    evidence = Span(1, TEXT.index("The first"), TEXT.index(" It pulled"))
    other = "The moon has no air. Nothing grows there."
    return SpanBench(
        [SourceDoc(1, "a", TEXT), SourceDoc(2, "b", other)],
        [Asked("first locomotive", (evidence,))],
        tmp_path_factory.mktemp("vectors"),
    )


def scores_of(bench, **settings):
    return dict(zip(MEASURES, bench.score({"chunk_overlap": 0, "top_k": 1} | settings)[0], strict=True))


def test_settings_are_run_and_scored(bench):
    found = scores_of(bench, chunker="recursive", chunk_size=80)
    assert found["recall"] == 1.0
    assert found["precision"] == pytest.approx(39 / 76)  # the sentence of the railway paragraph
    assert found["omega"] == pytest.approx(39 / 76)
    assert (found["hit rate"], found["MRR"]) == (1.0, 1.0)


def test_of_hierarchical_chunks_the_parents_are_scored(bench):
    found = scores_of(bench, chunker="hierarchical", chunk_size=45, parent_size=80)
    assert found["precision"] == pytest.approx(39 / 76)
    assert found["omega"] == pytest.approx(39 / 76)


def test_no_question_is_chosen_on_and_reported_on():
    choosing, reporting = halves(7)
    assert (choosing.tolist(), reporting.tolist()) == ([0, 2, 4, 6], [1, 3, 5])


def tried(name, recall, precision, iou, **settings):
    return Tried(name, settings, np.array([[recall, precision, 0.3, iou, 1, 1]], np.float64))


def test_only_settings_that_reach_the_best_of_the_reference_are_chosen():
    best = [tried("reference", 0.8, 0.06, 0.06)] * 4
    dull, sharp, full = tried("dull", 0.8, 0.05, 0.07), tried("sharp", 0.7, 0.2, 0.2), tried("full", 0.9, 0.07, 0.06)
    short = tried("short", 0.7, 0.3, 0.3, consolidate="extract")
    found = choose([dull, sharp, full, short], best, np.array([0]))
    names = {aim: [pick and pick.name for (_, one), pick in found.items() if one == aim] for aim in AIMS}
    assert names == {
        "highest IoU, recall not below": ["dull", None, None],
        "highest recall, precision and IoU not below": ["full", None, "short"],
    }
