"""What of an answer excludes a reference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.support.opposites import opposed, opposed_in_place, yes_or_no


@pytest.mark.parametrize(
    "reference, answer, words",
    [
        ("Tuesday", "It opens on Monday.", "Monday for Tuesday"),
        ("1889", "in 1887", "1887 for 1889"),
        ("not allowed", "allowed", "one of the two denies it"),
        ("$5", "€5", "€ for $"),
        ("Yes, it did", "No.", "no for yes"),
        ("before 1900", "after 1900", "after for before"),
        ("5 °C", "-5 °C", "-5 for 5"),
        ("Parking is allowed.", "Parking is prohibited.", "prohibited for allowed"),
        ("in Southeast London", "in South West London", "South for Southeast"),
    ],
)
def test_it_says_what_excludes(reference, answer, words):
    assert opposed(reference, answer, "") == words


@pytest.mark.parametrize(
    "reference, answer",
    [
        ("Tuesday", "On Tuesday, not on Monday."),
        ("not allowed", "prohibited"),
        ("Parking is not allowed.", "Parking is prohibited."),
        ("1889", "1889, two years after 1887"),
        ("It contains no sugar", "no sugar"),
        ("red", "a car"),
        ("Dogs are allowed", "Dogs are allowed. Cats are not allowed."),
        ("in Southeast London", "in South East London"),
        ("in South East London", "in southeast London"),
    ],
)
def test_what_agrees_is_not_excluded(reference, answer):
    assert opposed(reference, answer, "") == ""


def test_a_number_of_the_question_is_not_instead_of_another():
    assert opposed("1889", "It burnt in 1887", "What happened in 1887?") == ""


@pytest.mark.parametrize(
    "question, reference, answer, words",
    [
        ("Why is smoking not allowed?", "fire risk", "Smoking is not allowed for fire risk.", ""),
        ("Who sang Sins Not Tragedies?", "Panic at the Disco", "Sins Not Tragedies is by Panic at the Disco.", ""),
        ("Why is it not allowed?", "It is not safe.", "It is safe.", "one of the two denies it"),
        ("Are dogs not allowed?", "Dogs are allowed.", "Dogs are not allowed.", "one of the two denies it"),
    ],
)
def test_what_the_question_denies_denies_nothing_more(question, reference, answer, words):
    assert opposed(reference, answer, question) == words


MUSEUM = "The museum opens on Tuesday at nine and closes on Friday, when 12 guards lock the old north gate."


@pytest.mark.parametrize(
    "answer, words",
    [
        (MUSEUM.replace("Tuesday", "Monday"), "Monday for Tuesday"),
        (f"It is old. {MUSEUM.replace('12', '15')}", "15 for 12"),
        (MUSEUM.replace("opens", "never opens"), "one of the two denies it"),
        ("Guards lock the gate on Friday. On Monday 15 people came; it was not cold.", ""),
        ("The 15 guards never lock the south gate.", ""),
        (MUSEUM, ""),
    ],
)
def test_of_a_long_reference_only_what_stands_in_its_place_excludes(answer, words):
    assert opposed_in_place(MUSEUM, answer, "") == words


@pytest.mark.parametrize(
    "reference, answer, same",
    [
        ("No", "Smoking is not allowed.", True),
        ("Yes", "Smoking is not allowed.", False),
        ("yes", "Yes.", True),
        ("yes", "The weather was fine.", None),
        ("1889", "Yes", None),
    ],
)
def test_a_yes_or_no_is_also_said_in_other_words(reference, answer, same):
    assert yes_or_no(reference, answer, "Is smoking allowed?") == same


@given(st.text(max_size=80))
def test_nothing_excludes_itself(text):
    assert opposed(text, text, "") == ""
