"""Runs as a table, and a pivot of two settings."""

from __future__ import annotations

import pytest

from evaluation.models import TestSet
from evaluation.queries.run_frame import pivot, run_frame
from evaluation.queries.runs import run_rows
from tests.factories import make_run, make_testset

pytestmark = pytest.mark.django_db


def make_runs() -> None:
    testset = make_testset()
    for size, wrong in ((300, ["p1s"]), (300, []), (1000, ["p1s", "p2s"])):
        make_run(testset, dict.fromkeys(wrong, "Paris"), settings={"chunk_size": size}, tags=["a", "b"])
    make_run(testset, settings={"retriever": "oracle"}, scored=False)


@pytest.fixture
def rows(begin_with):
    """Return runs at two sizes, two of them alike but for their answers, one without chunks."""
    begin_with(make_runs)
    return run_rows(testset=TestSet.objects.get())


def test_a_run_is_a_row_with_settings_scores_and_their_intervals(rows):
    header, table = run_frame(rows)
    assert len(set(header)) == len(header)
    unscored, last, *_ = (dict(zip(header, row, strict=True)) for row in table)
    assert (last["chunk_size"], last["tags"], last["recall"], last["recall_n"]) == (
        1000,
        "a, b",
        pytest.approx(1 / 3),
        3,
    )
    assert last["recall_low"] < last["recall"] < last["recall_high"]
    assert (last["agreement"], last["latency_p50"]) == ("token_recall", 0.25)
    assert (unscored["chunk_size"], unscored["recall"], unscored["latency_p50"]) == (None, None, None)


def test_a_pivot_is_the_mean_over_the_runs_with_both_values(rows):
    found = pivot(rows, "chunk_size", "top_k", "recall")
    assert (found.lines, found.columns) == ([300, 1000], [4])
    assert [[(cell.mean, cell.runs) for cell in line] for line in found.cells] == [
        [(pytest.approx(5 / 6), 2)], [(pytest.approx(1 / 3), 1)],
    ]  # fmt: skip
    assert found.best == pytest.approx(5 / 6)
    assert found.table == (["Chunk size \\ Top k", "4"], [[300, pytest.approx(5 / 6)], [1000, pytest.approx(1 / 3)]])


def test_of_a_score_where_less_is_better_the_lowest_mean_is_the_best(rows):
    for row, mean in zip(rows[1:], (3.0, 2.0, 1.0), strict=True):
        row.metrics["latency_s"] = row.metrics["recall"].__class__(mean, None, None, 1, 0, "", {})
    assert pivot(rows, "chunk_size", "top_k", "latency_s").best == 1.5
