"""Where a text stands in a document, and in a whole corpus."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.places import CorpusPlaces, find_exact, find_spaced, passages_in
from rag_pipeline.types import SourceDoc, Span
from tests.factories import ROSETTA

GUIDE = SourceDoc(1, "guide.md", "The lamp is lit at six.\nThe lamp is put out at ten.")
NOTE = SourceDoc(2, "old/note.txt", "Note: The lamp is lit at six.")
PLACES = CorpusPlaces({doc.id: doc for doc in (GUIDE, NOTE)})
LIT = "The lamp is lit at six."


def test_exact_places_may_overlap():
    assert list(find_exact("aaaa", "aa", 1)) == [(1, 3), (2, 4)]


def test_places_with_other_white_space_do_not_overlap():
    assert list(find_spaced("a b\ta a b", "a  b")) == [(0, 3), (6, 9)]
    assert list(find_spaced("a b a b", "a b", 1)) == [(4, 7)]
    assert (
        list(find_spaced("a b", "a b", 0, 2))
        == list(find_spaced("a b", " "))
        == list(find_spaced("The Nile", "nile"))
        == []
    )


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ((LIT,), Span(1, 0, 23)),
        ((LIT, "/data/old/note.txt"), Span(2, 6, 29)),
        ((LIT, "note"), Span(2, 6, 29)),
        ((LIT, "unknown.pdf"), Span(1, 0, 23)),
        (("The lamp is", "guide.md", 24), Span(1, 24, 35)),
        (("The lamp is", "guide.md", 3), Span(1, 0, 11)),  # it does not stand where it is said to
        (("six.\r\nThe lamp",), Span(1, 19, 32)),
        (("lit  at\tsix. The",), Span(1, 12, 27)),
        (("the lamp is lit",), None),
        ((" \n",), None),
    ],
)
def test_a_passage_is_found_in_the_corpus(given, place):
    assert PLACES.find(*given) == place


@given(st.integers(0, len(ROSETTA) - 1), st.integers(1, 200))
def test_every_slice_of_a_document_is_found_as_itself(start, length):
    text = ROSETTA[start : start + length].strip()
    span = CorpusPlaces({5: SourceDoc(5, "r.txt", ROSETTA)}).find(text)
    assert span is None if not text else (span is not None and span.text_in({5: ROSETTA}) == text)


def test_a_passage_is_a_document_of_its_own_with_one_id_for_one_text():
    passage = SourceDoc.of_passage("From a wiki.", "wiki")
    assert passage.id < 0
    assert passage.id == SourceDoc.of_passage("From a wiki.").id != SourceDoc.of_passage("From another.").id
    assert SourceDoc.from_json(passage.as_json()) == passage
    spans = [Span(passage.id, 0, 4), Span(1, 0, 3), Span(passage.id, 5, 9)]
    assert passages_in({1: GUIDE, passage.id: passage}, spans) == {passage.id: passage}
