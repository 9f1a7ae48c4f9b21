"""Dates, quantities, names, lists and reasons in a sentence."""

import pytest

from rag_pipeline.english.tags import tag
from rag_pipeline.english.typed_spans import typed_spans


def spans(text):
    tagged = tag(text)
    return {(span.kind, tagged.slice(span.first, span.last)) for span in typed_spans(tagged)}


@pytest.mark.parametrize(
    "text, kind, span",
    [
        ("She left on 23 November 1861 for Savannah.", "date", "23 November 1861"),
        ("It was built in the late 19th century.", "date", "the late 19th century"),
        ("The bridge is 83 metres long.", "quantity", "83 metres"),
        ("It stayed for approximately fifty-five years.", "duration", "approximately fifty-five years"),
        ("Some 10,247 weapons were found.", "count", "Some 10,247"),
        ("It fell to 3 percent.", "percent", "3 percent"),
        ("Reports are due at least annually.", "frequency", "at least annually"),
        ("The club hired Governor James Conway.", "person", "Governor James Conway"),
        ("He studied at the Croydon School of Art.", "name", "Croydon School of Art"),
        ("He lived in MacArthur Park.", "place", "MacArthur Park"),
        ("It feeds on shrimp, worms and small fishes.", "list", "shrimp, worms and small fishes"),
        ("It was closed because of the flood.", "reason", "the flood"),
        ("A stingray is a flat fish.", "definition", "a flat fish"),
    ],
)
def test_a_span_is_found_with_its_kind(text, kind, span):
    assert (kind, span) in spans(text)


def test_the_verb_may_is_no_month_and_a_year_is_no_count():
    found = spans("They may leave in 1862.")
    assert ("date", "may") not in found
    assert not any(kind == "count" for kind, _ in found)
