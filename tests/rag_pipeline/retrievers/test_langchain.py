"""A LangChain retriever of the user's own: placed in the corpus, or kept as a text."""

from __future__ import annotations

import pytest
from langchain_core.documents import Document

from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.retrievers.langchain import LangChainOptions, LangChainRetriever, scores_of
from rag_pipeline.types import Hit, Query, SourceDoc, Span
from tests.factories import ROSETTA
from tests.rag_pipeline.retrievers.texts import CountingEmbedder, index_of

MODULE = "tests.rag_pipeline.retrievers.own_retriever"


def retriever(name: str) -> LangChainRetriever:
    return LangChainRetriever(
        index_of([ROSETTA], CountingEmbedder(), vectors=False), LangChainOptions(retriever_path=f"{MODULE}:{name}")
    )


def found(name: str, top_k: int = 4) -> list[Hit]:
    return retriever(name).retrieve_many([Query("Who announced the decipherment?")], top_k)[0]


def test_documents_are_placed_where_their_text_occurs():
    hits = found("by_words", 2)
    assert ROSETTA[hits[0].span.start : hits[0].span.end].startswith("Jean-François Champollion announced")
    assert [hit.score for hit in hits] == [1.0, 0.5]


def test_white_space_may_differ_and_what_occurs_nowhere_is_a_text_of_its_own():
    own = retriever("elsewhere")
    (hits,) = own.retrieve_many([Query("Where?")], 4)
    start = ROSETTA.index("The decree was issued in Memphis in 196 BC")
    passage = SourceDoc.of_passage("From a wiki: the stone weighs 760 kg.", "https://wiki/stone")
    assert hits == [
        Hit(Span(1, start, start + 42), 0.9, 1),
        Hit(Span(passage.id, 0, 37), 0.7, 2),
    ]
    assert own.passages == {passage.id: passage}


@pytest.mark.parametrize(
    ("named", "scores"),
    [
        ([0.9, 0.9, 0.1], [0.9, 0.9, 0.1]),
        ([0.1, 0.5, 0.9], [1.0, 1 / 2, 1 / 3]),  # a distance
        ([0.9, None, 0.1], [1.0, 1 / 2, 1 / 3]),
    ],
)
def test_a_named_score_counts_where_it_falls_with_the_rank(named, scores):
    documents = [Document("x", metadata={} if score is None else {"relevance_score": score}) for score in named]
    assert scores_of(documents) == scores


def test_a_vector_store_is_asked_for_as_many_as_are_wanted():
    assert [len(found("by_vectors", top_k)) for top_k in (1, 3, 4)] == [1, 3, 4]
    assert len(found("given_top_k", 3)) == 3


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "Write module:object"),
        ("my module:x", "Write module:object"),
        ("os:abort", "os is a part of Python"),
        ("no_such_module:retriever", "There is no module “no_such_module”"),
        (f"{MODULE}.deeper:x", "There is no module"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused_before_any_work(path, said):
    with pytest.raises(ConfigError, match=said) as refused:
        LangChainRetriever.check_options(LangChainOptions(retriever_path=path))
    assert refused.value.field == "retriever_path"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing", "does not exist: a LangChain retriever is wanted"),
        ("not_one", "is a str"),
        ("returns_a_list", "returned a list, no LangChain retriever"),
        ("no_documents", "returned no list of LangChain documents"),
    ],
)
def test_what_is_no_retriever_is_named(name, said):
    with pytest.raises(ConfigError, match=said):
        found(name)


def test_a_failure_of_the_user_s_own_code_is_said_in_a_line():
    with pytest.raises(ProviderError, match=r"own_retriever:failing failed \(IndexError: list index out of range\)"):
        found("failing")
