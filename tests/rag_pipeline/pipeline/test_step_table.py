"""Following candidates through the steps, by hand."""

from __future__ import annotations

from rag_pipeline.pipeline.step_table import step_table
from rag_pipeline.types import Hit, Span, Step


def step(name: str, *places: tuple[int, int]) -> Step:
    return Step(name, tuple(Hit(Span(1, *place), 1 / rank, rank) for rank, place in enumerate(places, 1)))


A, B, C, D = (0, 100), (80, 180), (200, 300), (300, 400)


def words(table) -> list[list[str]]:
    return [[cell.words for cell in row.cells] for row in table.rows]


def test_one_step_has_no_table():
    assert step_table([step("retrieve", A, B)], step("", A, B).hits).rows == ()


def test_reranking_moves_and_the_cut_to_top_k_drops():
    table = step_table([step("retrieve", A, B, C), step("rerank", C, A, B)], step("", C, A).hits)
    assert table.names == ("retrieve", "rerank", "given")
    assert words(table) == [["1", "2, down 1", "2"], ["2", "3, down 1", "dropped"], ["3", "1, up 2", "1"]]
    assert table.rows[2].trail == "3 → 1, up 2 → 1"


def test_the_cut_to_top_k_is_told_from_what_consolidation_drops():
    steps = [step("retrieve", A, B, C), step("rerank", C, A, B), step("consolidate", C)]
    table = step_table(steps, steps[-1].hits, top_k=2)
    assert table.names == ("retrieve", "rerank", "top_k", "consolidate")
    assert words(table) == [
        ["1", "2, down 1", "2", "dropped"],
        ["2", "3, down 1", "dropped", ""],
        ["3", "1, up 2", "1", "1"],
    ]


def test_children_share_their_parent():
    table = step_table([step("retrieve", A, D, B), step("parents", (0, 200), (200, 500))], step("", (0, 200)).hits)
    assert words(table) == [["1", "1", "1"], ["2", "2", "dropped"], ["3", "1", "1"]]


def test_pieces_are_shares_of_the_better_of_overlapping_chunks():
    # 80-100 lies in A and in B; the consolidation took it from A.
    steps = [step("retrieve", A, B, C), step("consolidate", (10, 40), (90, 100), (150, 170))]
    table = step_table(steps, steps[-1].hits)
    assert table.names == ("retrieve", "consolidate")
    assert words(table) == [["1", "1, 2 (40 % of it)"], ["2", "3 (20 % of it)"], ["3", "dropped"]]


def test_what_is_gone_stays_empty():
    steps = [step("retrieve", A, B, C), step("consolidate", A, (210, 260)), step("budget", A)]
    assert words(step_table(steps, steps[-1].hits)) == [
        ["1", "1", "1"],
        ["2", "dropped", ""],
        ["3", "2 (50 % of it)", "dropped"],
    ]


def test_nothing_given_drops_all():
    steps = [step("retrieve", A, B), step("budget")]
    assert words(step_table(steps, ())) == [["1", "dropped"], ["2", "dropped"]]
