"""Syllables of English words and numbers, as they are spoken."""

from __future__ import annotations

import pytest

from evaluation.metrics.language.numerals import numeral_syllables
from evaluation.metrics.language.syllables import by_rules, count_syllables

SPOKEN = {
    1: "the cat make makes stopped rhyme through years George league strengths",
    2: "table people something settled quiet science business Memphis being dishes hundred",
    3: "obelisk idea created museum area royalty employee quietness hesitate",
    4: "initiative society machinery February experience",
    5: "readability hieroglyphical",
}


@pytest.mark.parametrize("syllables, words", SPOKEN.items())
def test_counts_what_is_heard(syllables, words):
    assert {word: count_syllables(word) for word in words.split()} == dict.fromkeys(words.split(), syllables)


@pytest.mark.parametrize(
    "word, syllables", [("Café", 2), ("résumé", 3), ("naïve", 2), ("don't", 1), ("well-known", 2), ("x", 1), ("ß", 1)]
)
def test_accents_apostrophes_and_hyphens(word, syllables):
    assert count_syllables(word) == syllables


def test_the_rules_alone_serve_words_that_no_list_has():
    assert [by_rules(word) for word in ("blorpable", "zindering", "quaddled", "vexes")] == [3, 3, 2, 2]


def test_a_word_of_any_length_counts_at_once():
    assert count_syllables("ba" * 50_000) == 50_000


@pytest.mark.parametrize(
    "figures, syllables",
    [
        ("0", 2),  # zero
        ("7", 2),  # seven
        ("37", 4),  # thirty seven
        ("196", 6),  # one hundred ninety six
        ("1918", 4),  # nineteen eighteen
        ("1900", 4),  # nineteen hundred
        ("1905", 4),  # nineteen oh five
        ("2007", 5),  # two thousand seven
        ("2024", 5),  # twenty twenty four
        ("2,500", 6),  # two thousand five hundred
        ("1,000,000", 3),  # one million
        ("3.14", 4),  # three point one four
        ("123456789012345", 17),  # digit by digit
    ],
)
def test_a_number_is_counted_as_it_is_read_aloud(figures, syllables):
    assert numeral_syllables(figures) == syllables
