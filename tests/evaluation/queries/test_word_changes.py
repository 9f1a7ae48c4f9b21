"""Two texts word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.queries.word_changes import MOST_WORDS, TextChange, word_changes

TEXT = st.text(alphabet="ab \n.", max_size=40)


def test_words_that_changed_are_taken_out_and_put_in():
    assert word_changes("It was found in 1799.", "It was found in July 1799.") == [
        TextChange("It was found in "), TextChange("July ", "+"), TextChange("1799."),
    ]  # fmt: skip
    assert word_changes("In Paris", "In Memphis") == [
        TextChange("In "),
        TextChange("Paris", "−"),
        TextChange("Memphis", "+"),
    ]
    assert word_changes("the same", "the same") == [TextChange("the same")]
    assert word_changes("", "") == []


def test_white_space_alone_is_no_change():
    assert {piece.sign for piece in word_changes("a  b\nc", "a b c")} == {""}


def test_very_long_texts_are_shown_whole():
    long = "word " * MOST_WORDS
    assert [piece.sign for piece in word_changes(long, long + "more")] == ["−", "+"]


@given(TEXT, TEXT)
def test_what_stayed_and_was_put_in_is_the_second_text(before, after):
    assert "".join(piece.text for piece in word_changes(before, after) if piece.sign != "−") == after
