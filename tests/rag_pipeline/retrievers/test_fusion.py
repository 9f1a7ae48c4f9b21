"""Reciprocal rank fusion: the formula by hand, ties, weights."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.retrievers.fusion import fuse, fuse_rows
from rag_pipeline.types import Hit, Span

A, B, C, D = (Span(1, start, start + 5) for start in (0, 10, 20, 30))


def ranking(*spans: Span) -> list[Hit]:
    return [Hit(span, 1 / rank, rank) for rank, span in enumerate(spans, 1)]


def test_by_hand():
    # a: 1/61 + 1/63 = 0.032266; b: 1/62 + 1/61 = 0.032522; c: 1/63 = 0.015873; d: 1/62 = 0.016129
    fused = fuse([ranking(A, B, C), ranking(B, D, A)], 10)
    assert [hit.span for hit in fused] == [B, A, D, C]
    assert [hit.rank for hit in fused] == [1, 2, 3, 4]
    assert [round(hit.score, 6) for hit in fused] == [0.032522, 0.032266, 0.016129, 0.015873]


def test_by_hand_with_weights_and_another_constant():
    # a: 0.25/(1+1) = 0.125; b: 0.25/3 + 0.75/2 = 0.458333; c: 0.75/3 = 0.25
    fused = fuse([ranking(A, B), ranking(B, C)], 2, weights=(0.25, 0.75), constant=1)
    assert [(hit.span, round(hit.score, 6)) for hit in fused] == [(B, 0.458333), (C, 0.25)]


def test_ties_go_to_the_better_single_rank_then_to_the_earlier_place():
    mirrored = fuse([ranking(A, B), ranking(B, A)], 4)
    assert [hit.span for hit in mirrored] == [A, B]
    assert mirrored[0].score == mirrored[1].score
    assert [hit.span for hit in fuse([ranking(D), ranking(C), ranking(B)], 4)] == [B, C, D]


def test_the_better_single_rank_decides_before_the_place():
    # constant 0: D has 1/1 alone; A has 1/2 + 1/2: the same sum.
    fused = fuse([ranking(D, A), ranking(C, A)], 4, constant=0)
    assert [hit.span for hit in fused] == [C, D, A]
    assert {hit.score for hit in fused} == {1.0}


def test_a_ranking_of_weight_nothing_adds_nothing():
    assert [hit.span for hit in fuse([ranking(C, A), ranking(B, D)], 4, weights=(1, 0))] == [C, A]


def test_a_span_named_twice_counts_at_its_first_place():
    assert fuse([ranking(A, A, B)], 4) == fuse([ranking(A, B)], 4)


def test_nothing_to_fuse():
    assert fuse([], 4) == fuse([[], []], 4) == fuse([ranking(A)], 0) == []


def test_as_many_weights_as_rankings():
    with pytest.raises(ValueError):
        fuse([ranking(A), ranking(B)], 4, weights=(1.0,))


@given(st.lists(st.lists(st.integers(0, 12), unique=True), min_size=2, max_size=4), st.integers(0, 12))
def test_the_order_of_the_rankings_changes_nothing_and_fewer_hits_are_the_first_of_more(lists, top_k):
    rankings = [ranking(*(Span(1, place, place + 1) for place in places)) for places in lists]
    fused = fuse(rankings, 100)
    for other in itertools.islice(itertools.permutations(rankings), 6):
        assert fuse(list(other), 100) == fused
    assert fuse(rankings, top_k) == fused[:top_k]
    random.Random(0).shuffle(rankings)
    assert {hit.span for hit in fused} == {hit.span for each in rankings for hit in each}


@given(
    st.permutations(range(8)).flatmap(lambda rows: st.integers(0, 8).map(lambda count: rows[:count])),
    st.permutations(range(8)).flatmap(lambda rows: st.integers(0, 8).map(lambda count: rows[:count])),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    st.integers(1, 9),
)
def test_rows_are_fused_as_hits_are(first, second, share, top_k):
    spans = np.array([(1 + row % 2, 10 * row, 10 * row + 5) for row in range(8)], np.int64)
    weights = (share, 1 - share)
    hits = [
        [Hit(Span(*spans[row].tolist()), 1.0, rank) for rank, row in enumerate(rows, 1)] for rows in (first, second)
    ]
    rows = [np.array(each, np.int64) for each in (first, second)]
    found = [(Span(*spans[row].tolist()), score) for row, score in fuse_rows(rows, spans, top_k, weights)]
    assert found == [(hit.span, hit.score) for hit in fuse(hits, top_k, weights)]
