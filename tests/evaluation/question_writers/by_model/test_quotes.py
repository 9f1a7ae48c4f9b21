"""Quotations are found where they stand, and only there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.question_writers.by_model.quotes import find_quote

TEXT = 'The "Old Light" – built in 1828 –\n  was lit by Straße & Co.   It burned whale oil.\nLater, it burned paraﬃn.'


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("It burned whale oil.", "It burned whale oil."),
        ("  It burned whale oil. \n", "It burned whale oil."),
        ("“It burned whale oil.”", "It burned whale oil."),
        ("it BURNED whale   oil", "It burned whale oil"),
        ("the “Old Light” - built in 1828 - was lit", 'The "Old Light" – built in 1828 –\n  was lit'),
        ("was lit by strasse & co.", "was lit by Straße & Co."),
        ("it burned paraffin", "it burned paraﬃn"),
        ('"Old Light"', '"Old Light"'),
    ],
)
def test_finds_a_quotation_that_was_not_copied_exactly(quote: str, found: str) -> None:
    ((start, end),) = find_quote(TEXT, quote)
    assert TEXT[start:end] == found


@pytest.mark.parametrize(
    "quote", ["", "  ", '""', "It burned seal oil.", "It … oil", "whale oil … It burned whale oil"]
)
def test_what_is_not_there_is_not_found(quote: str) -> None:
    assert find_quote(TEXT, quote) == []


def test_a_quotation_with_a_gap_has_several_places() -> None:
    places = find_quote(TEXT, "was lit by Straße & Co. [...] it burned paraffin.")
    assert [TEXT[start:end] for start, end in places] == ["was lit by Straße & Co.", "it burned paraﬃn."]


def test_dots_of_the_text_itself_are_no_gap() -> None:
    text = "He said nothing... and then he left the room."
    assert find_quote(text, "nothing... and then he left") == [(8, 35)]


@given(st.text(min_size=1, max_size=60), st.data())
def test_every_stretch_of_a_text_is_found_as_itself(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    if quote.strip():
        ((found, end),) = find_quote(text, quote)
        assert text[found:end] == quote.strip()


@given(st.text(alphabet="abc ßﬁİ\n“”-–", min_size=3, max_size=40))
def test_a_change_of_case_is_no_obstacle(text: str) -> None:
    quote = text.strip(" \t\n\"'“”„‘’«»`")
    if quote.strip():
        ((start, end),) = find_quote(text, quote.replace("\n", "  "))
        assert 0 <= start < end <= len(text)
