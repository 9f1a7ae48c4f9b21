"""Spans, hits, steps and contexts come back from JSON as they were; the keys are those of every stored answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.types import Context, Hit, Span, Step

TEXT = "The Rosetta Stone is a stele of granodiorite: «Ῥωσέττα», \U0001d4d0, and a last word."
numbers = st.integers(0, 2**40)
scores = st.floats(allow_nan=False, allow_infinity=False)
ranks = st.integers(1, 10_000)
places = st.integers(0, len(TEXT))
spans = st.builds(Span, numbers, numbers, numbers)
hits = st.builds(Hit, spans, scores, ranks)
steps = st.builds(Step, st.text(), st.lists(hits).map(tuple))


def through_json(value):
    """Return what a database or a file gives back."""
    return json.loads(json.dumps(value.as_json()))


@given(spans)
def test_a_span_comes_back(span):
    assert Span.from_json(through_json(span)) == span


@given(hits)
def test_a_hit_comes_back_and_is_a_span_too(hit):
    assert Hit.from_json(through_json(hit)) == hit
    assert Span.from_json(through_json(hit)) == hit.span


@given(steps)
def test_a_step_comes_back(step):
    assert Step.from_json(through_json(step)) == step


@given(numbers, places, places, st.text(), scores, ranks, st.none() | st.integers(1, 999))
def test_a_context_comes_back_with_the_text_of_its_document(document, start, end, name, score, rank, page):
    context = Context(Span(document, start, end), name, TEXT[start:end], score, rank, page)
    stored = through_json(context)
    assert "text" not in stored
    assert Context.from_json(stored, {document: TEXT}) == context
    assert Hit.from_json(stored) == Hit(context.span, score, rank)
    assert Context.from_json(stored, {}).text == ""  # its document was deleted


def test_the_keys_are_those_of_every_stored_answer():
    context = Context(Span(7, 4, 17), "stone.txt", "Rosetta Stone", 0.5, 2, 3)
    place = {"document_id": 7, "start": 4, "end": 17}
    assert list(context.as_json().items()) == [
        *place.items(), ("document", "stone.txt"), ("score", 0.5), ("rank", 2), ("page", 3),
    ]  # fmt: skip
    step = Step("rerank", (Hit(Span(7, 4, 17), 0.5, 2),))
    assert step.as_json() == {"name": "rerank", "hits": [place | {"score": 0.5, "rank": 2}]}


def test_a_context_of_an_early_version_has_no_page():
    stored = {"document_id": 7, "start": 4, "end": 17, "document": "stone.txt", "score": 0.5, "rank": 1}
    assert Context.from_json(stored, {7: TEXT}) == Context(Span(7, 4, 17), "stone.txt", "Rosetta Stone", 0.5, 1)


@pytest.mark.parametrize(
    ("outer", "inner", "holds"),
    [
        (Span(1, 0, 10), Span(1, 0, 10), True),
        (Span(1, 0, 10), Span(1, 3, 4), True),
        (Span(1, 0, 10), Span(1, 3, 11), False),
        (Span(1, 5, 10), Span(1, 4, 8), False),
        (Span(1, 0, 10), Span(2, 3, 4), False),
    ],
)
def test_a_span_holds_what_lies_within_it(outer, inner, holds):
    assert outer.holds(inner) is holds
