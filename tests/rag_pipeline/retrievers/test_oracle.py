"""The oracle gives the evidence and nothing else."""

from __future__ import annotations

from rag_pipeline.retrievers.oracle import OracleRetriever
from rag_pipeline.types import Hit, Query, Span
from tests.rag_pipeline.retrievers.texts import CountingEmbedder, index_of, time_machine


def test_gives_the_evidence_of_each_question_in_its_order_and_nothing_without():
    text = time_machine()
    start = text.index("The Time Traveller")
    first, second = Span(1, start, start + 60), Span(1, 10, 40)
    oracle = OracleRetriever(index_of([text], CountingEmbedder(), vectors=False))
    found = oracle.retrieve_many([Query("?", (first, second, first)), Query("out of scope")], 4)
    assert found == [[Hit(first, 1.0, 1), Hit(second, 1.0, 2)], []]
    assert oracle.retrieve_many([Query("?", (first, second))], 1) == [[Hit(first, 1.0, 1)]]
