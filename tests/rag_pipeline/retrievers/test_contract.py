"""What every registered retriever promises, on real text."""

from __future__ import annotations

import numpy as np
import pytest

from rag_pipeline.retrievers.base import Retriever, retrievers
from rag_pipeline.types import Hit, Query, Span
from tests.rag_pipeline.retrievers.texts import CountingEmbedder, index_of, time_machine

QUESTIONS = (
    "What is the fourth dimension?",
    "Who lit the lamp on the mantel?",
    "time traveller",
    "Filby argued that black is white",
)


@pytest.fixture(params=list(retrievers), ids=lambda unit: unit.key)
def unit(request) -> type[Retriever]:
    found: type[Retriever] = request.param
    return found


def made(unit: type[Retriever], *texts: str) -> Retriever:
    given = {"retriever_path": "tests.rag_pipeline.retrievers.own_retriever:by_words"}
    options = unit.Options(**{name: value for name, value in given.items() if name in unit.Options.model_fields})
    return unit(index_of(texts, CountingEmbedder(), vectors=unit.needs_vectors), options)


def queries(retriever: Retriever) -> list[Query]:
    """Return the questions; for the oracle with the first chunks as evidence."""
    evidence = tuple(retriever.index.span(row) for row in range(min(8, len(retriever.index))))
    return [Query(text, evidence) for text in QUESTIONS]


def check(retriever: Retriever, hits: list[Hit], top_k: int) -> None:
    spans = [hit.span for hit in hits]
    assert len(hits) <= min(top_k, len(retriever.index))
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(type(score) is float and np.isfinite(score) for score in scores)
    assert len(set(spans)) == len(spans)
    assert set(spans) <= {retriever.index.span(row) for row in range(len(retriever.index))}


class TestRetriever:
    def test_gives_ranked_chunks_best_first_for_each_question(self, unit):
        retriever = made(unit, time_machine())
        found = retriever.retrieve_many(queries(retriever), 4)
        assert len(found) == len(QUESTIONS)
        for hits in found:
            assert len(hits) == 4
            check(retriever, hits, 4)

    def test_one_question_gets_what_it_gets_among_others(self, unit):
        retriever = made(unit, time_machine())
        asked = queries(retriever)
        found = retriever.retrieve_many(asked, 6)
        for query, hits in zip(asked, found, strict=True):
            alone = retriever.retrieve_many([query], 6)[0]
            assert [hit.span for hit in alone] == [hit.span for hit in hits]
            assert [hit.score for hit in alone] == pytest.approx([hit.score for hit in hits], abs=1e-6)

    def test_repeats_exactly(self, unit):
        one, other = made(unit, time_machine()), made(unit, time_machine())
        assert one.retrieve_many(queries(one), 10) == other.retrieve_many(queries(other), 10)

    def test_gives_what_there_is_when_more_is_asked_for(self, unit):
        text = "\n\n".join(time_machine().split("\n\n")[20:28])
        retriever = made(unit, text)
        for hits in retriever.retrieve_many(queries(retriever), 100):
            check(retriever, hits, 100)
        everything = {"dense", "mmr", "hybrid", "oracle"}
        if unit.key in everything:
            assert {len(hits) for hits in retriever.retrieve_many(queries(retriever), 100)} == {len(retriever.index)}

    def test_finds_nothing_in_nothing(self, unit):
        retriever = made(unit)
        assert retriever.retrieve_many([Query(text) for text in QUESTIONS], 4) == [[]] * 4
        assert made(unit, time_machine()).retrieve_many([], 4) == []

    def test_finds_the_only_chunk(self, unit):
        retriever = made(unit, "The Time Traveller lit the lamp.")
        query = Query("Who lit the lamp?", (Span(1, 0, 32),))
        assert [hit.span for hit in retriever.retrieve_many([query], 4)[0]] == [Span(1, 0, 32)]

    def test_puts_equal_chunks_in_order_of_document_and_position(self, unit):
        same = "It is the same sentence about the fourth dimension."
        retriever = made(unit, f"{same}\n\nNothing else.\n\n{same}", f"{same}\n\n{same}")
        evidence = tuple(retriever.index.span(row) for row in (0, 2, 3, 4))
        hits = retriever.retrieve_many([Query("fourth dimension", evidence)], 4)[0]
        check(retriever, hits, 4)
        wanted = [span for span in evidence if span in {hit.span for hit in hits}]
        assert [hit.span for hit in hits if hit.span in wanted] == wanted

    def test_takes_an_empty_or_wordless_question(self, unit):
        retriever = made(unit, time_machine())
        for hits in retriever.retrieve_many([Query(""), Query("?!"), Query("\u0000 \ud7ff 🤖")], 4):
            check(retriever, hits, 4)

    def test_embeds_nothing_when_it_says_so(self, unit):
        retriever = made(unit, time_machine())
        retriever.retrieve_many(queries(retriever), 4)
        embedder = retriever.index.embedder
        assert isinstance(embedder, CountingEmbedder)
        if unit.needs_vectors:
            assert embedder.queries == len(QUESTIONS)
        else:
            assert (embedder.passages, embedder.queries) == (0, 0)

    def test_says_when_it_helps(self, unit):
        assert unit.label
        assert unit.help.endswith(".")


def test_those_of_the_interface_are_there():
    assert {"dense", "mmr", "bm25", "hybrid", "oracle", "langchain"} <= set(retrievers.keys())
