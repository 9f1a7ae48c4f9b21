"""Slips look human and leave alone what must not change."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.question_writers.rules.slips import KINDS, apply_slip, choose_and_apply

QUESTION = "I need to know, in short, when the Russian Empire annexed Warsaw's 18 districts and what is left of it."


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_changes_the_text_and_no_number(kind: str) -> None:
    for seed in range(40):
        slipped = apply_slip(QUESTION, kind, {"Warsaw", "annexed"}, random.Random(seed))
        assert slipped is not None
        assert slipped != QUESTION
        assert re.findall(r"\d+", slipped) == ["18"]
        assert "annexed" in slipped.lower()
        assert "warsaw's" in slipped.lower()


def test_a_kind_without_a_place_gives_none() -> None:
    assert apply_slip("who", "punctuation", set(), random.Random(0)) is None
    assert apply_slip("2012 2013", "typo", set(), random.Random(0)) is None


def test_the_wanted_kind_is_taken_where_it_fits() -> None:
    for kind in KINDS:
        assert choose_and_apply(QUESTION, {"Warsaw"}, random.Random(1), kind)[1] == kind


def test_a_doubled_word_stands_twice() -> None:
    slipped = apply_slip("Where is the zoo", "doubled_word", {"is"}, random.Random(3))
    assert slipped == "Where is the the zoo"


@given(st.text(max_size=80), st.sampled_from(KINDS), st.integers(0, 9))
def test_numbers_survive_any_text(text: str, kind: str, seed: int) -> None:
    slipped = apply_slip(text, kind, set(), random.Random(seed))
    if slipped is not None:
        assert [c for c in slipped if c.isdigit()] == [c for c in text if c.isdigit()]
