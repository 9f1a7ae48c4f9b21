"""How much of a text another one has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.support.shared_units import shared_units


def share(text: str, other: str, question: str = "") -> float:
    found = shared_units(text, other, question)
    assert found is not None
    return found.share


def test_the_share_is_that_of_the_weights():
    # by 0.05, Gustave and Eiffel 1 each are there, 1889 with 1 is not
    assert share("1889, by Gustave Eiffel", "by Gustave Eiffel, 1887") == pytest.approx(2.05 / 3.05)


@pytest.mark.parametrize("text", ["1. Kierbedz\n2. Engelund\n3. Bob", "They are 1) Kierbedz 2) Engelund 3) Bob"])
def test_the_numbers_of_a_list_state_nothing(text):
    found = shared_units(text, "They are Kierbedz, Engelund and Bob.", "")
    assert found is not None
    assert (found.share, found.missing) == (1, ())


def test_numbers_that_do_not_count_items_are_kept():
    assert share("It opened on 3. May", "It opened in May") < 1
    assert share("1. Kierbedz", "Kierbedz") == pytest.approx(0.5)  # a lone number is no list


def test_a_unit_counts_once_however_often_it_is_said():
    assert share("Kierbedz and Kierbedz, 1864", "Kierbedz and more") == pytest.approx(
        share("Kierbedz and, 1864", "Kierbedz and")
    )


def test_what_the_question_says_counts_next_to_nothing():
    question = "When was the Vistula bridge opened?"
    # in 0.05 × 0 (absent), 1864 1; Vistula, bridge and the like × 0.02
    assert share("The Vistula bridge opened in 1864", "The Vistula bridge opened in 1901", question) < 0.1
    assert share("The Vistula bridge opened in 1864", "1864", question) > 0.9


def test_where_nothing_is_there_the_share_is_0():
    presidents = "presidents, i.e. of cities which have over 100,000 people or where one was president before 1990"
    assert share(presidents, "vogt") == 0


def test_a_word_that_begins_alike_counts_less_than_the_same():
    assert share("construction", "They construct it.") == pytest.approx(0.8)


@pytest.mark.parametrize("text, other", [("southeast", "south east"), ("south east", "southeast")])
def test_one_word_and_two_are_the_same(text, other):
    assert share(text, other) == 1


def test_the_missing_are_named_without_function_words_and_words_of_the_question():
    found = shared_units("The Vistula bridge by Kierbedz", "A bridge", "Which bridge over the Vistula?")
    assert found is not None
    assert [unit.text for unit in found.missing] == ["Kierbedz"]
    assert [unit.text for unit in found.found] == ["bridge"]


@pytest.mark.parametrize("text", ["", "...", "🙂"])
def test_of_what_states_nothing_there_is_no_share(text):
    assert shared_units(text, "Kierbedz", "") is None


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=30))
def test_shares_are_shares_and_a_text_has_all_of_itself(text, other, question):
    for one, two in ((text, other), (text, text), (text, f"{text} {other}")):
        found = shared_units(one, two, question)
        assert found is None or 0 <= found.share <= 1
    same = shared_units(text, text, question)
    assert same is None or (same.share == pytest.approx(1) and not same.missing)
