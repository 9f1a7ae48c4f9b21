"""The share of variance that a setting explains, by hand and by invariants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.experiments.importance import importance

GRID = [{"size": size, "top_k": top_k} for size in (200, 400) for top_k in (2, 4)]


def changes_of(scores: list[float], pairs: int = 50) -> np.ndarray:
    """Scores that every pair adds to alike."""
    return np.repeat(np.array(scores)[:, None] / pairs, pairs, axis=1)


def test_by_hand():
    """Scores 0, 1, 3, 4: mean 2, squares 4 + 1 + 1 + 4 = 10. Sizes have means 0.5, 3.5: 4 · 2.25 = 9 of 10. Top k has
    1.5, 2.5: 4 · 0.25 = 1 of 10.
    """
    found = importance(GRID, changes_of([0, 1, 3, 4]))
    assert [(each.name, each.share) for each in found] == [("size", pytest.approx(0.9)), ("top_k", pytest.approx(0.1))]
    assert found[0].low == pytest.approx(found[0].high) == pytest.approx(0.9)  # every pair says the same


def test_interplay_belongs_to_no_setting():
    """1, 0, 0, 1: neither setting matters alone."""
    assert [each.share for each in importance(GRID, changes_of([1, 0, 0, 1]))] == [0, 0]


def test_pairs_that_disagree_widen_the_interval():
    rng = np.random.default_rng(1)
    changes = changes_of([0, 0, 0.2, 0.2]) + rng.normal(0, 0.3 / 50, (4, 50))
    size = next(each for each in importance(GRID, changes) if each.name == "size")
    assert size.low < size.share < size.high
    assert size.high - size.low > 0.05


def test_the_same_scores_say_nothing():
    assert importance(GRID, changes_of([0.5] * 4)) == []
    assert importance(GRID[:1], changes_of([0.5])) == []


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4))
def test_shares_of_a_grid_are_at_most_one_together(scores):
    found = importance(GRID, changes_of(scores))
    assert sum(each.share for each in found) <= 1 + 1e-9
    assert all(0 <= each.low <= each.high <= 1 + 1e-9 for each in found)
