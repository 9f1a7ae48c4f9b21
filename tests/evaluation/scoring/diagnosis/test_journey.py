"""The way of the evidence through the steps of retrieval, and how far down the ranks it lies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scoring.diagnosis.journey import EvidenceSight, StageSight, dropped_at, journey
from evaluation.scoring.diagnosis.ranks import evidence_rank, missing_pieces
from rag_pipeline.types import Hit, Span, Step
from tests.evaluation.samples import make_sample

DOCUMENT = "".join(chr(0x4E00 + place) for place in range(100))
"""A hundred characters of which none comes twice, so that nothing repeats another's text."""


def hits(*spans: tuple[int, int]) -> tuple[Hit, ...]:
    return tuple(Hit(Span(1, start, end), 1 / rank, rank) for rank, (start, end) in enumerate(spans, 1))


def sight(*evidence: tuple[int, int], threshold: float = 0.5) -> EvidenceSight:
    return EvidenceSight(make_sample(document=DOCUMENT, evidence=evidence), {1: DOCUMENT}, threshold)


def test_one_step_tells_nothing():
    assert journey(sight((0, 10)), [Step("retrieve", hits((0, 50)))], 4) == []


def test_each_step_says_what_it_left_and_how_many_chunks_that_takes():
    """Evidence 40–60: the third chunk holds it whole, the second half of it (20–50)."""
    retrieved, best = hits((0, 20), (20, 50), (40, 60)), hits((40, 60), (0, 20), (20, 50))
    found = journey(
        sight((40, 60)), [Step("retrieve", retrieved), Step("rerank", best), Step("budget", hits((40, 44)))], 1
    )
    assert found == [
        StageSight("retrieve", 1.0, 2),
        StageSight("rerank", 1.0, 1),
        StageSight("budget", pytest.approx(0.2), None),
    ]
    assert dropped_at(found, 0.5) == found[2]


def test_without_a_reranker_only_the_top_k_was_retrieved():
    steps = [Step("retrieve", hits((0, 20), (40, 60))), Step("parents", hits((0, 30), (30, 90)))]
    assert journey(sight((40, 60)), steps, 2)[0] == StageSight("retrieve", 1.0, 2)
    assert journey(sight((40, 60)), steps, 1)[0] == StageSight("retrieve", 0.0, None)


def test_a_reranked_parent_below_the_top_k_was_dropped_by_reranking():
    steps = [
        Step("retrieve", hits((44, 50), (0, 10))),
        Step("rerank", hits((0, 10), (44, 50))),
        Step("parents", hits((0, 30), (30, 90))),
    ]
    found = journey(sight((40, 60)), steps, 1)
    assert found == [StageSight("retrieve", 1.0, None), StageSight("rerank", 0.0, 2)]
    assert dropped_at(found, 0.5) == found[1]


def test_what_was_never_retrieved_was_dropped_by_no_step():
    assert dropped_at([StageSight("retrieve", 0.2, None), StageSight("budget", 0.0, None)], 0.5) is None


def rank(sample, chunks, missing=(0,), holds=lambda span: False):
    return evidence_rank(sample, list(missing), hits(*chunks), {1: DOCUMENT}, holds, 0.5)


def test_several_missing_pieces_need_the_last_of_them():
    sample = make_sample(document=DOCUMENT, evidence=[(11, 18), (81, 89)])
    found = rank(sample, [(80, 100), (30, 50), (5, 30)], missing=(0, 1))
    assert (found.rank, found.needed, found.whole) == (3, 1, True)  # 8 of 15 characters are enough at rank 1


def test_a_piece_that_no_chunk_holds_is_split_but_its_halves_are_enough():
    sample = make_sample(document=DOCUMENT, evidence=[(1, 11)])
    found = rank(sample, [(0, 3), (3, 7), (7, 11)])
    assert (found.whole, found.rank, found.needed) == (False, None, 2)  # 2 + 4 of 10 characters
    assert found.found  # deeper there is nothing new
    assert rank(sample, [(0, 3)], holds=lambda span: True).found is False


def test_missing_pieces_are_those_held_for_less_than_the_threshold():
    sample = make_sample(document=DOCUMENT, evidence=[(0, 10), (50, 60)], contexts=[(1, 0, 5)])
    assert missing_pieces(sample, {(1, place) for place in range(5)}, 0.5) == [1]
    assert missing_pieces(sample, {(1, place) for place in range(100)}, 0.5) == [0, 1]


chunks = st.lists(
    st.tuples(st.integers(0, 90), st.integers(1, 40)).map(lambda at: (at[0], min(100, at[0] + at[1]))), max_size=12
)


@given(st.integers(0, 80), st.integers(1, 20), chunks, st.floats(0.05, 1))
def test_the_first_chunks_that_are_needed_are_enough_and_one_fewer_is_not(start, length, spans, threshold):
    view = sight((start, start + length), threshold=threshold)
    found = evidence_rank(view.sample, [0], hits(*spans), view.texts, lambda span: False, threshold)
    stage = view.stage("retrieve", hits(*spans))
    assert found.needed == stage.needed
    if found.needed is not None:
        first = [Span(1, *span) for span in spans[: found.needed]]
        assert view.share(first) >= threshold
        assert view.share(first[:-1]) < threshold
    if found.rank is not None:
        assert found.needed is not None
        assert found.needed <= found.rank
