"""Sentences keep their exact place in the text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.english.sentences import split_sentences


def texts(text):
    return [sentence.text for sentence in split_sentences(text)]


def test_abbreviations_and_initials_do_not_end_a_sentence():
    assert texts("Dr. J. K. Smith paid approx. $3.5 million. He lived in the U.S. Then he left.") == [
        "Dr. J. K. Smith paid approx. $3.5 million.",
        "He lived in the U.S.",
        "Then he left.",
    ]


def test_the_marks_of_other_scripts_end_sentences():
    assert texts("هل هي كبيرة؟ نعم. لاہور بڑا ہے۔ یہ گرم ہے۔") == [
        "هل هي كبيرة؟",
        "نعم.",
        "لاہور بڑا ہے۔",
        "یہ گرم ہے۔",
    ]
    assert texts("भारत बड़ा है।यह सुंदर है। “क्यों?” यह ॥१॥ है।") == [
        "भारत बड़ा है।",
        "यह सुंदर है।",
        "“क्यों?”",
        "यह ॥१॥",
        "है।",
    ]
    assert texts("Երևանը մեծ է։ Այն հին է։") == ["Երևանը մեծ է։", "Այն հին է։"]
    assert texts("ቆንጆ ናት። አሮጌ ናት፧ ትልቅ") == ["ቆንጆ ናት።", "አሮጌ ናት፧", "ትልቅ"]
    assert texts("ကောင်းတယ်။ပူတယ်။") == ["ကောင်းတယ်။", "ပူတယ်။"]
    assert texts("ភ្នំពេញធំ។ វាស្អាត។") == ["ភ្នំពេញធំ។", "វាស្អាត។"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("the tower is tall. is it red? yes! it was built in 1880.", 4),
        ("it has 3.5 m, e.g. here. open till 5 p.m. on weekdays, by j. k. rowling", 2),
        ("well... it is old… or not. “why?” she asked.", 2),
        ("москва большая. она старая.", 2),
        ("The tower is tall. the tower is red.", 1),  # it has a capital: a small letter is within a sentence
    ],
)
def test_where_all_letters_are_small_one_may_begin_a_sentence(text, count):
    found = split_sentences(text, without_capitals=True)
    assert len(found) == count
    assert all(text[one.start : one.end] == one.text for one in found)
    assert len(split_sentences(text)) <= count


def test_a_numbered_abbreviation_ends_a_sentence_unless_a_number_follows():
    assert texts("See fig. 7 for art. The School of Art. Her work sold.") == [
        "See fig. 7 for art.",
        "The School of Art.",
        "Her work sold.",
    ]


def test_a_hard_wrap_is_no_end_and_headings_items_and_rows_are():
    paragraph = "The first engine was built by a man from Devon whose name\nwas Savery."
    text = f"# Steam\n{paragraph}\n\n- one\n- two\n\n| a | b |\n| c | d |"
    assert texts(text) == [
        "# Steam",
        paragraph,
        "- one",
        "- two",
        "| a | b |",
        "| c | d |",
    ]


def test_the_number_of_an_item_or_heading_is_no_sentence():
    text = "# 2. The Engine\n\n1. **Oil** it. Twice a year.\n2. Clean it.\n\nIV. Results came in 1999. They were good."
    assert texts(text) == [
        "# 2. The Engine",
        "1. **Oil** it.",
        "Twice a year.",
        "2. Clean it.",
        "IV. Results came in 1999.",
        "They were good.",
    ]


@given(st.text(alphabet=st.sampled_from("aB .!?\n\r\t-|#1é“”。।۔😀\u200b"), max_size=200), st.booleans())
def test_every_sentence_is_its_slice_and_nothing_but_white_space_is_left_out(text, without_capitals):
    sentences = split_sentences(text, without_capitals=without_capitals)
    assert all(text[one.start : one.end] == one.text for one in sentences)
    assert all(left.end <= right.start for left, right in pairwise(sentences))
    assert "".join("".join(one.text.split()) for one in sentences) == "".join(text.split())
