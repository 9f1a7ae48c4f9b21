"""A module of a user's own, as `retriever_path` names it: LangChain retrievers of several kinds."""

from __future__ import annotations

import re
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore

not_one = "a text"


class SharedWords(BaseRetriever):
    """Ranks passages by the words that they share with the question."""

    passages: list[Document]

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        wanted = _words(query)
        return sorted(self.passages, key=lambda each: -len(wanted & _words(each.page_content)))


def by_words(documents: list[Document]) -> BaseRetriever:
    """Return a retriever over the paragraphs of a corpus, which says nothing of where they stand."""
    parts = [part for each in documents for part in re.split(r"\n\s*\n", each.page_content) if part.strip()]
    return SharedWords(passages=[Document(part) for part in dict.fromkeys(parts)])


def by_vectors() -> BaseRetriever:
    """Return a retriever over a vector store with four texts, two of them asked for unless told otherwise."""
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_texts([f"text {number}" for number in range(4)])
    return store.as_retriever(search_kwargs={"k": 2})


def given_top_k(top_k: int) -> RunnableLambda[str, list[Document]]:
    """Return a chain that gives as many documents as it was made for."""
    return RunnableLambda(lambda query: [Document(f"{query} {number}") for number in range(top_k)])


elsewhere = RunnableLambda(
    lambda query: [
        Document("The decree was issued in\n Memphis  in 196 BC", metadata={"score": 0.9}),
        Document("From a wiki: the stone weighs 760 kg.", metadata={"source": "https://wiki/stone", "score": 0.7}),
        Document("  "),
        Document("The decree was issued in\n Memphis  in 196 BC", metadata={"score": 0.1}),
    ]
)
failing = RunnableLambda(lambda query: [][1])
no_documents = RunnableLambda(lambda query: query)


def returns_a_list() -> list[Any]:
    """Return no retriever."""
    return []


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
