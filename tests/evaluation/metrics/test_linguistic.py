"""Readability and diversity of answers, worked by hand, and null where the formulas say nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.metrics.flesch_kincaid_grade import FleschKincaidGrade
from evaluation.metrics.flesch_reading_ease import FleschReadingEase
from evaluation.metrics.lexical_diversity import LexicalDiversity, LexicalDiversityOptions, moving_ratio
from tests.evaluation.samples import make_answered, make_context

ROSETTA = "The stone was found in 1799 by a French officer. It bears a decree in three scripts. Nobody could read them."
# 3 sentences of 10, 7 and 4 words; the-stone-was-found-in 5, seventeen-ninety-nine 6, by-a-French-of-fi-cer 6;
# it-bears-a-de-cree-in-three-scripts 8; no-bo-dy-could-read-them 6: 31 syllables.
ROSETTA_EASE = 206.835 - 1.015 * 21 / 3 - 84.6 * 31 / 21
ROSETTA_GRADE = 0.39 * 21 / 3 + 11.8 * 31 / 21 - 15.59
FORMULAS = (FleschReadingEase, FleschKincaidGrade)


def score(metric, answer):
    return metric.score_many([make_answered("What?", answer)], make_context())[0]


def diversity(answer, window=0):
    return score(LexicalDiversity(LexicalDiversityOptions(window=window)), answer)


def test_readability_worked_by_hand():
    ease = score(FleschReadingEase(), ROSETTA)
    assert ease.details == {"sentences": 3, "words": 21, "syllables": 31}
    assert ease.value == pytest.approx(ROSETTA_EASE) == pytest.approx(74.84, abs=0.01)
    assert score(FleschKincaidGrade(), ROSETTA).value == pytest.approx(ROSETTA_GRADE) == pytest.approx(4.56, abs=0.01)


def test_a_sentence_ends_neither_after_an_abbreviation_nor_within_a_number():
    counted = score(FleschReadingEase(), "Dr. Young of the U.S. museum paid 3.5 pounds for it.").details
    assert counted["sentences"] == 1
    assert counted["words"] == 12  # U and S apart


def test_harder_text_has_lower_ease_and_higher_grade():
    hard = "Notwithstanding considerable administrative complications, negotiators established comprehensive terms."
    assert score(FleschReadingEase(), hard).value < 0 < score(FleschReadingEase(), ROSETTA).value
    assert score(FleschKincaidGrade(), hard).value > 20 > score(FleschKincaidGrade(), ROSETTA).value


@pytest.mark.parametrize("metric", FORMULAS)
@pytest.mark.parametrize(
    "answer, reason",
    [
        ("", "the answer is empty"),
        ("😀 😀 😀 😀 😀 42", "the answer has no words"),
        ("这项法令是在孟菲斯颁布的。", "not in Latin script"),
        ("صدر المرسوم في ممفيس عام 196 قبل الميلاد.", "not in Latin script"),
        ("Das Dekret wurde in Memphis erlassen, in drei Schriften.", "the answer is in “de”"),
        ("In Memphis, 196 BC", "fewer than 5 words"),
        ("stone " * 10_000, "is no running text: 10000 words a sentence"),
    ],
)
def test_what_the_formulas_are_not_made_for_is_null(metric, answer, reason):
    found = score(metric(), answer)
    assert found.value is None
    assert reason in found.reason


@pytest.mark.parametrize("metric", FORMULAS)
def test_an_answer_of_10000_words_reads_as_one_of_its_sentences(metric):
    sentence = "The decree was issued in Memphis. "
    assert score(metric(), sentence * 1700).value == pytest.approx(score(metric(), sentence).value)


@settings(max_examples=40)
@given(st.text(max_size=300))
def test_readability_stays_within_its_range(answer):
    for metric in FORMULAS:
        found = score(metric(), answer)
        assert found.value is None or metric.low - 1e-9 <= found.value <= metric.high + 1e-9


def test_diversity_counts_distinct_words_whatever_their_case():
    assert diversity("The cat saw the other cat").value == pytest.approx(4 / 6)
    assert diversity("Don’t don't DON'T stop").value == 0.5
    assert diversity("ال كتاب ال جديد").value == 0.75


def test_a_window_makes_answers_of_different_length_comparable():
    sentence = "one two three four five six seven eight nine ten "
    assert diversity(sentence).value == diversity(sentence * 100, window=10).value == 1
    assert diversity(sentence * 100).value == 0.01
    assert diversity("a b a", window=2).value == 1
    assert diversity("a a b", window=2).value == pytest.approx(0.75)  # runs: a a, a b


def test_an_answer_shorter_than_the_window_is_taken_whole():
    assert diversity("the cat saw the dog", window=50).value == 0.8


@pytest.mark.parametrize(
    "answer, reason",
    [
        ("这项法令是在孟菲斯颁布的。", "a script that does not separate words by spaces"),
        ("ตราขึ้นที่เมมฟิส", "a script that does not separate words by spaces"),
        ("😀😀", "the answer has no words"),
        ("42", "the answer has no words"),
        (" ", "the answer is empty"),
    ],
)
def test_where_there_are_no_words_between_spaces_there_is_no_diversity(answer, reason):
    assert reason in diversity(answer).reason


@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=40), st.integers(1, 39))
def test_the_moving_ratio_is_the_mean_over_all_windows(words, window):
    if window < len(words):
        runs = [words[start : start + window] for start in range(len(words) - window + 1)]
        expected = sum(len(set(run)) / window for run in runs) / len(runs)
        assert moving_ratio(words, window) == pytest.approx(expected)
