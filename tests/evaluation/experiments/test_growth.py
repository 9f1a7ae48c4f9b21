"""Growing parts of a corpus and the line through their scores, by hand and by invariants."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.experiments.growth import CorpusPart, first_within, growth, holding, order_of_arrival, parts_of, slopes
from rag_pipeline.types import Hit, Span

PARTS = [CorpusPart(share, 0, size) for share, size in zip((1 / 8, 1 / 4, 1 / 2, 1), (100, 200, 400, 800), strict=True)]


def clusters(count: int) -> list[tuple[str, str]]:
    return [("answerable", f"p{number}") for number in range(count)]


def chunk(number: int) -> Span:
    return Span(1, 10 * number, 10 * number + 10)


def test_parts_by_hand():
    """100 chunks, 20 with evidence: 80 others, of which 5, 10, 20, 40 and all."""
    assert [(part.others, part.chunks) for part in parts_of(100, 20)] == [
        (5, 25), (10, 30), (20, 40), (40, 60), (80, 100)
    ]  # fmt: skip
    assert [part.chunks for part in parts_of(20, 20)] == [20]  # nothing to grow by: the whole alone


def test_a_chunk_with_one_character_of_the_evidence_holds_it():
    assert holding([chunk(0), chunk(1), chunk(2), Span(2, 0, 50)], [Span(1, 9, 11)]) == {chunk(0), chunk(1)}


def test_a_slope_by_hand():
    """Sizes 1/e and 1: x = −1 and 0. A score that is 0.3 higher in the part falls by 0.3 each time e-fold."""
    assert slopes([100, round(100 * math.e)], np.array([[0.8, 0.5]])) == pytest.approx([-0.3], rel=1e-2)


def test_a_line_is_drawn_on():
    """0.05 less for each doubling, from 0.6: ten times the chunks are 3.32 doublings more, 0.434."""
    values = np.array([[0.6 + shift + 0.05 * steps for steps in (3, 2, 1, 0)] for shift in (-0.1, 0, 0.1, 0) * 5])
    found = growth(PARTS, values, clusters(20)).forecast
    assert found.chunks == 8000
    assert found.score is not None
    assert found.score.mean == pytest.approx(0.6 - 0.05 * math.log2(10))
    assert found.score.low < found.score.mean < found.score.high


@pytest.mark.parametrize(
    ("values", "count", "parts", "said"),
    [
        ([0.9, 0.9, 0.9, 0.5], 20, PARTS, "follows no line"),
        ([0.5, 0.5, 0.5, 0.5], 20, PARTS, "the same over every part"),
        ([0.7, 0.6, 0.5, 0.4], 3, PARTS, "only 3 pairs"),
        ([0.7, 0.6], 20, PARTS[-2:], "too little growth"),
        ([0.4, 0.3, 0.2, 0.1], 20, PARTS, "leaves the scale"),
    ],
)
def test_a_line_that_does_not_hold_is_not_drawn_on(values, count, parts, said):
    found = growth(parts, np.array([values] * count), clusters(count))
    assert found.forecast.score is None
    assert said in found.forecast.reason
    assert found.points[-1].difference is None


@given(st.permutations(range(40)), st.sets(st.integers(0, 39), min_size=1, max_size=10), st.integers(0, 9))
def test_a_larger_part_holds_the_smaller_and_all_evidence_and_ranks_no_evidence_higher(order, gold, seed):
    chunks, evidence = [chunk(number) for number in range(40)], {chunk(number) for number in gold}
    hits = [Hit(chunk(number), 1 / rank, rank) for rank, number in enumerate(order, 1)]
    arrival = order_of_arrival(chunks, evidence, seed)
    parts = parts_of(40, len(evidence))
    within = [first_within(hits, arrival, part, 40) for part in parts]
    held = [{hit.span for hit in each} for each in within]
    assert [len(each) for each in held] == [part.chunks for part in parts]
    assert all(evidence <= smaller <= larger for smaller, larger in itertools.pairwise(held))
    assert within[-1] == [Hit(hit.span, hit.score, hit.rank) for hit in hits]
    ranks = [[hit.rank for hit in each if hit.span in evidence] for each in within]
    assert all(a <= b for one, more in itertools.pairwise(ranks) for a, b in zip(one, more, strict=True))
