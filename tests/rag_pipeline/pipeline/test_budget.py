"""The context budget drops whole contexts from the end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.embedders.base import embedders
from rag_pipeline.pipeline.budget import within_budget

TEXTS = ("one two three", "four five", "six")


def count(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(("budget", "kept"), [(0, 3), (100, 3), (6, 3), (5, 2), (4, 1), (3, 1), (2, 0), (1, 0)])
def test_keeps_the_best_that_fit_together(budget, kept):
    assert within_budget(TEXTS, budget, count) == kept


def test_counts_by_the_tokens_of_the_embedding_model():
    tokens = embedders.get("local")("all-MiniLM-L6-v2", "mean").token_count
    text = "Granodiorite stele"
    assert tokens(text) > len(text.split())
    assert within_budget([text, text], 2 * tokens(text), tokens) == 2
    assert within_budget([text, text], 2 * tokens(text) - 1, tokens) == 1


@given(st.lists(st.integers(0, 50), max_size=12), st.integers(1, 200))
def test_is_the_longest_beginning_that_fits(sizes, budget):
    kept = within_budget(["x" * size for size in sizes], budget, len)
    assert sum(sizes[:kept]) <= budget
    assert kept == len(sizes) or sum(sizes[: kept + 1]) > budget
