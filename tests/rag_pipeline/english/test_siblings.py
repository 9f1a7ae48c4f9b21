"""Words that exclude each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.english.siblings import excluded_by, rivals, root


@pytest.mark.parametrize(
    "one, other",
    [("monday", "tuesday"), ("red", "blue"), ("increases", "decreased"), ("legal", "illegal"), ("km", "miles")],
)
def test_these_exclude_each_other(one, other):
    assert root(other) in excluded_by(root(one))
    assert root(one) in excluded_by(root(other))


@pytest.mark.parametrize("one, other", [("grey", "gray"), ("car", "engine"), ("allow", "permit")])
def test_these_do_not(one, other):
    assert root(other) not in excluded_by(root(one))


@given(st.sampled_from(sorted(rivals())), st.sampled_from(sorted(rivals())))
def test_it_holds_both_ways_and_of_no_word_itself(one, other):
    assert (other in excluded_by(one)) == (one in excluded_by(other))
    assert one not in excluded_by(one)
