"""Hybrid finds what dense misses; its ends are dense and BM25."""

from __future__ import annotations

import pytest

from rag_pipeline.retrievers.base import Retriever
from rag_pipeline.retrievers.bm25 import Bm25Retriever
from rag_pipeline.retrievers.dense import DenseRetriever
from rag_pipeline.retrievers.hybrid import HybridOptions, HybridRetriever
from rag_pipeline.types import Query, Span
from tests.rag_pipeline.retrievers.texts import CountingEmbedder, index_of, nuts, time_machine

PART = "SLN-4417/A"
ASKED = [Query(f"Where is part {PART} kept?")]


def texts(retriever: Retriever, top_k: int = 4) -> list[str]:
    documents = retriever.index.documents
    hits = retriever.retrieve_many(ASKED, top_k)[0]
    return [documents[hit.span.document_id].text[hit.span.start : hit.span.end] for hit in hits]


def test_finds_the_exact_part_number_that_dense_misses():
    assert not any(PART in text for text in texts(DenseRetriever(nuts())))
    assert any(PART in text for text in texts(HybridRetriever(nuts())))
    assert PART in texts(Bm25Retriever(nuts()))[0]


def test_a_part_number_is_found_by_its_parts():
    found = Bm25Retriever(nuts()).retrieve_many([Query("4417"), Query("sln 7447 c")], 1)
    index = nuts()
    text = [index.documents[1].text[hits[0].span.start : hits[0].span.end] for hits in found]
    assert "SLN-4417/A" in text[0]
    assert "SLN-7447/C" in text[1]


@pytest.mark.parametrize(("weight", "alone"), [(1, DenseRetriever), (0, Bm25Retriever)])
def test_the_ends_are_dense_and_bm25(weight, alone):
    index = index_of([time_machine()], CountingEmbedder())
    asked = [Query("What is the fourth dimension?"), Query("Who lit the lamp?")]
    hybrid = HybridRetriever(index, HybridOptions(hybrid_weight=weight)).retrieve_many(asked, 10)
    assert spans(hybrid) == spans(alone(index).retrieve_many(asked, 10))


def test_the_first_of_many_are_those_of_a_few():
    index = index_of([time_machine()], CountingEmbedder())
    hybrid = HybridRetriever(index)
    few, many = (hybrid.retrieve_many([Query("the fourth dimension")], count) for count in (3, 100))
    assert spans(few) == [spans(many)[0][:3]]


def spans(found: list) -> list[list[Span]]:
    return [[hit.span for hit in hits] for hits in found]
