"""A quoted passage is found at its exact offsets: letter by letter, whatever its white space, or nearly as it is."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.quotes import covered_by, find_nearly, holds, locate_quote
from rag_pipeline.errors import ConfigError

TEXT = "The policy covers theft.\n\nIt does not cover  floods. Theft is covered abroad, too. It does not rain."


def test_a_quote_is_found_letter_by_letter():
    assert locate_quote(TEXT, "covers theft") == (11, 23)


def test_white_space_may_differ():
    start, end = locate_quote(TEXT, " theft. It does\nnot cover floods ")
    assert TEXT[start:end] == "theft.\n\nIt does not cover  floods"


def test_signs_of_regular_expressions_are_letters_like_others():
    start, end = locate_quote("a.b (c) a+b", "(c) a+b")
    assert (start, end) == (4, 11)


@pytest.mark.parametrize(
    ("quote", "says"),
    [("  ", "Quote the passage"), ("COVERS THEFT", "not in the document"), ("It does not", "stands 2 times")],
)
def test_what_cannot_be_located_is_explained(quote, says):
    with pytest.raises(ConfigError, match=says) as refused:
        locate_quote(TEXT, quote)
    assert refused.value.field == "quote"


def test_a_repeated_quote_is_taken_from_the_chunk_it_was_copied_from():
    second = TEXT.rindex("It does not")
    assert locate_quote(TEXT, "It does not", within=(second - 5, len(TEXT))) == (second, second + 11)


def test_a_quote_outside_the_chunk_is_still_found():
    assert locate_quote(TEXT, "covers theft", within=(50, 60)) == (11, 23)


@given(st.text(alphabet="ab \n.é語", min_size=1, max_size=60), st.data())
def test_any_slice_is_found_or_said_to_be_repeated(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quote = text[start:end]
    if not quote.split():
        return
    repeated = len(quote.split()) and _places(text, quote) > 1
    if repeated:
        with pytest.raises(ConfigError, match="times"):
            locate_quote(text, quote)
    else:
        assert text[slice(*locate_quote(text, quote))].split() == quote.split()


def _places(text, quote):
    """Count places that do not overlap, as a reader would, left to right."""
    return len(re.findall(r"\s+".join(re.escape(word) for word in quote.split()), text))


def test_a_text_holds_a_quote_whatever_its_white_space():
    text = "The  Nile\nis long."
    assert holds(text, "The Nile is")
    assert holds(text, " Nile   is long. ")
    assert not any(holds(text, quote) for quote in ("the nile", "Nile long", " "))
    assert not holds("", "a")


def covered(text, *quotes):
    """Return the characters that the quotations cover, the others as dots."""
    return "".join(letter if inside else "." for letter, inside in zip(text, covered_by(text, quotes), strict=True))


def test_every_place_is_covered_with_the_white_space_inside_it():
    assert covered("a  b c a\tb", "a b") == "a  b...a\tb"
    assert covered(" aaa ", "a a", "aa", "") == ".aa.."
    assert covered("نهر النيل 🐪 طويل", "النيل 🐪") == "....النيل 🐪....."


LIGHT = 'The "Old Light" – built in 1828 –\n  was lit by Straße & Co.   It burned whale oil.\nLater, it burned paraﬃn.'


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
    ((start, end),) = find_nearly(LIGHT, quote)
    assert LIGHT[start:end] == found


@pytest.mark.parametrize(
    "quote", ["", "  ", '""', "It burned seal oil.", "It … oil", "whale oil … It burned whale oil"]
)
def test_what_is_not_there_is_not_found(quote: str) -> None:
    assert find_nearly(LIGHT, quote) == []


def test_a_quotation_with_a_gap_has_several_places() -> None:
    places = find_nearly(LIGHT, "was lit by Straße & Co. [...] it burned paraffin.")
    assert [LIGHT[start:end] for start, end in places] == ["was lit by Straße & Co.", "it burned paraﬃn."]


def test_dots_of_the_text_itself_are_no_gap() -> None:
    text = "He said nothing... and then he left the room."
    assert find_nearly(text, "nothing... and then he left") == [(8, 35)]


@given(st.text(min_size=1, max_size=60), st.data())
def test_every_stretch_of_a_text_is_found_as_itself(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    if quote.strip():
        ((found, end),) = find_nearly(text, quote)
        assert text[found:end] == quote.strip()


@given(st.text(alphabet="abc ßﬁİ\n“”-–", min_size=3, max_size=40))
def test_a_change_of_case_is_no_obstacle(text: str) -> None:
    quote = text.strip(" \t\n\"'“”„‘’«»`")
    if quote.strip():
        ((start, end),) = find_nearly(text, quote.replace("\n", "  "))
        assert 0 <= start < end <= len(text)
