"""Hit rate and reciprocal rank from ranks, worked out by hand, and what is said about a tuned model."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.tuning.ranking import advice, compare_ranks, covered, first_gold, gold_rows, values_of
from rag_pipeline.types import Span

CHUNKS = np.array([(1, 0, 100), (1, 80, 180), (1, 180, 300), (2, 0, 100)], np.int64)


def test_a_chunk_is_gold_from_half_of_an_evidence_span_on() -> None:
    assert covered(CHUNKS, Span(1, 90, 110)).tolist() == [10, 20, 0, 0]
    assert gold_rows(CHUNKS, [Span(1, 90, 110)]) == {0, 1}
    assert gold_rows(CHUNKS, [Span(1, 91, 112)]) == {1}  # 9 of 21 characters are too few
    assert gold_rows(CHUNKS, [Span(1, 91, 112), Span(2, 5, 9)]) == {1, 3}
    assert gold_rows(CHUNKS, [Span(1, 0, 300)]) == set()  # no chunk holds half of it
    assert gold_rows(CHUNKS, [Span(3, 0, 10)]) == set()


def test_the_rank_is_that_of_the_first_gold_chunk_within_ten() -> None:
    found = np.array([[3, 1, 0], [0, 2, 3], [1, 0, 2]], np.int64)
    assert first_gold(found, [{0, 1}, {0}, set()]) == [2, 1, 0]
    assert first_gold(np.arange(12)[None, :], [{10, 11}]) == [0]


def test_values_by_hand() -> None:
    assert values_of([1, 4, 5, 0]) == {
        "hit_rate@1": [1, 0, 0, 0],
        "hit_rate@4": [1, 1, 0, 0],
        "mrr@10": [1, 0.25, 0.2, 0],
    }


def test_twins_count_as_one_pair() -> None:
    apart = compare_ranks([2] * 8, [1] * 8, [str(number) for number in range(8)])["hit_rate@1"]
    twins = compare_ranks([2] * 8, [1] * 8, [str(number // 2) for number in range(8)])["hit_rate@1"]
    assert (apart["difference"]["clusters"], twins["difference"]["clusters"]) == (8, 4)
    # All changed for the better; four pairs are too few to tell.
    assert (apart["difference"]["verdict"], twins["difference"]["verdict"]) == ("better", "not distinguishable")
    assert apart["before"]["mean"] == 0
    assert apart["after"]["mean"] == apart["difference"]["mean"] == 1


@pytest.mark.parametrize(
    ("before", "after", "verdict", "words"),
    [
        ([3] * 10, [1] * 10, "better", "Tuning helped: MRR@10 on holdout changed by +0.667"),
        ([1] * 10, [2] * 10, "worse", "changed by -0.500. Keep the untuned model."),
        ([1, 2] * 5, [2, 1] * 5, "not distinguishable", "with 10 pairs in holdout, the change of MRR@10 by +0.000"),
    ],
)
def test_the_verdict_is_said_plainly(before: list[int], after: list[int], verdict: str, words: str) -> None:
    pairs = [str(number) for number in range(10)]
    said = advice(compare_ranks(before, after, pairs), 10)
    assert said[0] == verdict
    assert words in said[1]
