"""Numbers and lists in messages."""

from __future__ import annotations

import pytest

from rag_pipeline.english.wording import counted, listed


@pytest.mark.parametrize(("count", "words"), [(0, "0 words"), (1, "1 word"), (1200, "1,200 words")])
def test_a_number_has_its_noun(count, words):
    assert counted(count, "word") == words


@pytest.mark.parametrize(
    ("names", "words"), [("", ""), ("a", "a"), ("ab", "a or b"), ("abc", "a, b, or c"), ("abcd", "a, b, c, or d")]
)
def test_a_list_ends_with_its_word(names, words):
    assert listed(names, "or") == words


def test_names_with_commas_are_kept_apart_by_semicolons():
    assert listed(["a, b", "c", "d"], "and", ";") == "a, b; c; and d"
