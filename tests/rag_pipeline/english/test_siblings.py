"""Words that exclude each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.english.siblings import exclude, rivals, root


@pytest.mark.parametrize(
    "one, other",
    [("monday", "tuesday"), ("red", "blue"), ("increases", "decreased"), ("legal", "illegal"), ("km", "miles")],
)
def test_these_exclude_each_other(one, other):
    assert exclude(root(one), root(other))
    assert exclude(root(other), root(one))


@pytest.mark.parametrize("one, other", [("grey", "gray"), ("car", "engine"), ("allow", "permit")])
def test_these_do_not(one, other):
    assert not exclude(root(one), root(other))


@given(st.sampled_from(sorted(rivals())), st.sampled_from(sorted(rivals())))
def test_it_holds_both_ways_and_of_no_word_itself(one, other):
    assert exclude(one, other) == exclude(other, one)
    assert not exclude(one, one)
