"""Regions are shared out by length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.question_writers.rules.regions import allot


def test_each_document_gets_one_and_length_decides_the_rest() -> None:
    assert allot([10, 10, 980], 10) == [1, 1, 8]
    assert allot([500, 500], 3) == [2, 1]


def test_fewer_regions_than_documents_go_to_the_long_ones() -> None:
    assert allot([1, 1, 998], 1) == [0, 0, 1]


def test_empty_documents_get_none() -> None:
    assert allot([0, 100], 4) == [0, 4]
    assert allot([0, 0], 4) == [0, 0]


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=8), st.integers(1, 60))
def test_all_regions_are_given_out(lengths: list[int], count: int) -> None:
    shares = allot(lengths, count)
    filled = sum(length > 0 for length in lengths)
    assert sum(shares) == (count if filled else 0)
    assert all(share >= 0 for share in shares)
    if count >= filled:
        assert all(share >= 1 for share, length in zip(shares, lengths, strict=True) if length)
