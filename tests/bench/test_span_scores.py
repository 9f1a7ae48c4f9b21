"""Recall, precision, omega and IoU by characters, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.types import Span
from tests.bench.span_scores import common, omega_of, score_spans, union


def spans(*pairs, document=1):
    return [Span(document, start, end) for start, end in pairs]


def rows(*chunks):
    return np.array([(chunk.document_id, chunk.start, chunk.end) for chunk in chunks], np.int64)


def test_overlapping_chunks_and_two_references():
    # Found: 40–60 and 100–105, 25 of 20 + 20 characters. Given: 50 + 50 + 25 = 125, the overlap 30–50 paid twice.
    scores = score_spans(spans((0, 50), (30, 80), (80, 105)), spans((40, 60), (100, 120)), omega=0.5)
    assert scores.recall == pytest.approx(25 / 40)
    assert scores.precision == pytest.approx(25 / 125)
    assert scores.iou == pytest.approx(25 / (125 + 15))
    assert scores.omega == 0.5
    # The first chunk holds half of the first reference already.
    assert (scores.hit, scores.reciprocal_rank) == (1.0, 1.0)


def test_a_chunk_at_the_same_place_of_another_corpus_finds_nothing_but_is_paid_for():
    scores = score_spans([*spans((0, 100), document=2), *spans((50, 90))], spans((50, 100)), omega=1.0)
    assert scores.recall == pytest.approx(40 / 50)
    assert scores.precision == pytest.approx(40 / 140)
    assert scores.iou == pytest.approx(40 / 150)
    assert (scores.hit, scores.reciprocal_rank) == (1.0, 0.5)


def test_less_than_half_of_a_reference_is_no_hit():
    scores = score_spans(spans((0, 49)), spans((0, 100)), omega=1.0)
    assert (scores.hit, scores.reciprocal_rank) == (0.0, 0.0)
    assert scores.recall == pytest.approx(0.49)


def test_nothing_retrieved_scores_nothing():
    scores = score_spans([], spans((0, 10), (20, 30)), omega=0.25)
    assert (scores.recall, scores.precision, scores.iou, scores.hit, scores.reciprocal_rank) == (0, 0, 0, 0, 0)


def test_omega_is_the_precision_of_all_chunks_that_touch_a_reference():
    # 0–50 and 40–90 hold the references 45–60 and 80–85; 90–120 does not touch, nor does 40–90 of the other corpus.
    chunks = rows(*spans((0, 50), (40, 90), (91, 120)), *spans((40, 90), document=2))
    assert omega_of(chunks, spans((45, 60), (80, 85))) == pytest.approx(20 / 90)


def test_for_omega_a_chunk_beside_a_reference_touches_it():
    assert omega_of(rows(*spans((0, 50), (50, 90))), spans((50, 60))) == pytest.approx(10 / 90)
    assert omega_of(rows(*spans((0, 49), (50, 90))), spans((50, 60))) == pytest.approx(10 / 40)


def test_omega_without_a_touching_chunk_is_nothing():
    assert omega_of(rows(*spans((0, 10))), spans((50, 60))) == 0.0


def test_given_the_references_themselves_all_is_perfect():
    wanted = spans((5, 10), (20, 40))
    scores = score_spans(wanted, wanted, omega=1.0)
    assert (scores.recall, scores.precision, scores.iou, scores.hit, scores.reciprocal_rank) == (1, 1, 1, 1, 1)


places = st.lists(
    st.tuples(st.integers(1, 2), st.integers(0, 40), st.integers(1, 20)).map(lambda p: Span(p[0], p[1], p[1] + p[2])),
    max_size=6,
)


@given(places, places)
def test_unions_cover_what_the_spans_cover(one, other):
    def characters(some):
        return {(span.document_id, place) for span in some for place in range(span.start, span.end)}

    assert characters(union(one)) == characters(one)
    assert sum(map(len, union(one))) == len(characters(one))
    assert common(union(one), union(other)) == len(characters(one) & characters(other))
