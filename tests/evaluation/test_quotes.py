"""A quoted passage is found at its exact offsets, or the message says why not."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.quotes import locate_quote
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
