"""LangChain: a retriever of the user's own, by the name of the module that holds it.

What it returns are LangChain documents. A document is placed in the corpus where its text occurs (`source` and
`start_index` of its metadata are looked at first); one that occurs nowhere is a passage, and is scored as a text.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from rag_pipeline.errors import ConfigError, PipelineError, ProviderError
from rag_pipeline.indexing.index_store import ChunkIndex
from rag_pipeline.places import CorpusPlaces
from rag_pipeline.registry import UnitOptions
from rag_pipeline.retrievers.base import Retriever, retrievers
from rag_pipeline.setting_fields import SettingInfo
from rag_pipeline.types import Hit, Query, SourceDoc, Span

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.runnables import Runnable

PATH = "retriever_path"
_FORM = re.compile(r"(?P<module>[^\W\d]\w*(\.[^\W\d]\w*)*):(?P<name>[^\W\d]\w*)")
_SCORES = ("score", "relevance_score", "similarity")
_AT_ONCE = 8
_KEPT = 4
"""Retrievers that stay in memory, for each number of documents they were asked for."""


class LangChainOptions(UnitOptions):
    """Which retriever."""

    retriever_path: Annotated[str, SettingInfo()] = Field(
        "",
        title="Retriever path",
        description="module:object, a LangChain retriever or what makes one (it may take documents and top_k).",
    )


@retrievers.register
class LangChainRetriever(Retriever):
    """Asks a LangChain retriever for each question; its documents are in its order, the first `top_k` of them.

    The score of a hit is the one that its document names (`score`, `relevance_score`), else 1 / rank. A retriever over
    a vector store is asked for `top_k` documents, whatever number it was made with.
    """

    key = "langchain"
    label = "A retriever of your own"
    help = "A LangChain retriever from a module of yours, over any vector store or search engine."
    needs_vectors = False
    needs_chunks = False
    repeatable = False
    requires = {"langchain_core": "langchain"}
    Options = LangChainOptions
    options: LangChainOptions

    def __init__(self, index: ChunkIndex, options: object = None) -> None:
        super().__init__(index, options)
        self._places = CorpusPlaces(index.documents)

    @classmethod
    def check_options(cls, options: LangChainOptions) -> None:
        """Refuse a path that is none, or leads to no module. Imports no more than the folders on the way to it."""
        module, _ = _parts(options.retriever_path)
        try:
            found = importlib.util.find_spec(module)
        except (ImportError, ValueError):
            found = None
        if found is None:
            raise ConfigError(
                f"There is no module “{module}”. Put it into the folder that the workbench is started from, or name "
                "its folder in PYTHONPATH, and restart the workbench.",
                PATH,
            )

    def retrieve_many(self, queries: Sequence[Query], top_k: int) -> list[list[Hit]]:
        """Ask for all questions, some at once. Raises ConfigError, ProviderError."""
        if not queries:
            return []
        path = self.options.retriever_path
        with _explained(path):
            retriever = _opened(path, top_k, tuple(self.index.documents.values()))
            found = retriever.batch([query.text for query in queries], {"max_concurrency": _AT_ONCE})
        return [self._hits(documents, top_k) for documents in found]

    def _hits(self, documents: Any, top_k: int) -> list[Hit]:
        """Return the documents as hits, each place once."""
        found = [each for each in _checked(documents, self.options.retriever_path) if each.page_content.strip()]
        scores: dict[Span, float] = {}
        for document, score in zip(found, scores_of(found), strict=True):
            scores.setdefault(self._place(document), score)
        return [Hit(span, score, rank) for rank, (span, score) in enumerate(list(scores.items())[:top_k], 1)]

    def _place(self, document: Document) -> Span:
        """Return where a document's text stands: in the corpus, else in a passage of its own."""
        text, source = document.page_content, str(document.metadata.get("source") or "")
        start = document.metadata.get("start_index")
        place = self._places.find(text, source, start if isinstance(start, int) else None)
        if place is not None:
            return place
        passage = SourceDoc.of_passage(text, source)
        self.passages.setdefault(passage.id, passage)
        return Span(passage.id, 0, len(text))


class _explained:  # noqa: N801 - reads as a statement
    """Turns whatever somebody else's retriever raises into a ProviderError that names it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, PipelineError):
            said = " ".join(str(error).split())[:300]
            raise ProviderError(
                f"The retriever {self._path} failed ({type(error).__name__}: {said}). Mend it and try again.",
                permanent=True,
            ) from error


def _parts(path: str) -> tuple[str, str]:
    """Return module and name. Raises ConfigError for what is no path to a module of the user's own."""
    match = _FORM.fullmatch(path.strip())
    if match is None:
        raise ConfigError(f"Retriever path is “{path}”. Write module:object, such as my_search:retriever.", PATH)
    module = match["module"]
    if module.partition(".")[0] in sys.stdlib_module_names:
        raise ConfigError(f"{module} is a part of Python and holds no retriever. Name a module of your own.", PATH)
    return module, match["name"]


@lru_cache(maxsize=_KEPT)
def _opened(path: str, top_k: int, documents: tuple[SourceDoc, ...]) -> Runnable[str, list[Document]]:
    """Return the retriever, made once in a process. Raises ConfigError, and whatever its module does."""
    from langchain_core.runnables import Runnable

    module, name = _parts(path)
    found = getattr(importlib.import_module(module), name, None)
    if not isinstance(found, Runnable):
        if not callable(found):
            what = "does not exist" if found is None else f"is a {type(found).__name__}"
            raise ConfigError(f"{path} {what}: a LangChain retriever is wanted, or a function that returns one.", PATH)
        found = found(**_arguments(found, top_k, documents))
        if not isinstance(found, Runnable):
            raise ConfigError(f"{path} returned a {type(found).__name__}, no LangChain retriever.", PATH)
    kwargs, copy = getattr(found, "search_kwargs", None), getattr(found, "model_copy", None)
    if kwargs is None or copy is None:
        return found
    over_vectors: Runnable[str, list[Document]] = copy(update={"search_kwargs": {**kwargs, "k": top_k}})
    return over_vectors


def _arguments(maker: Callable[..., Any], top_k: int, documents: Sequence[SourceDoc]) -> dict[str, Any]:
    """Return what a function that makes a retriever is given, of the arguments it has."""
    from langchain_core.documents import Document

    wanted = inspect.signature(maker).parameters
    offered: dict[str, Callable[[], Any]] = {
        "documents": lambda: [Document(doc.text, metadata={"source": doc.name}) for doc in documents],
        "top_k": lambda: top_k,
    }
    return {name: offer() for name, offer in offered.items() if name in wanted}


def _checked(documents: Any, path: str) -> list[Document]:
    from langchain_core.documents import Document

    if not isinstance(documents, list) or not all(isinstance(each, Document) for each in documents):
        raise ConfigError(f"{path} returned no list of LangChain documents. Its last step must be a retriever.", PATH)
    return documents


def scores_of(documents: Sequence[Document]) -> list[float]:
    """Return the scores that documents name where they fall with the rank, else 1 / rank: some name a distance."""
    for name in _SCORES:
        named = [each.metadata.get(name) for each in documents]
        scores = [float(value) for value in named if isinstance(value, int | float)]
        if len(scores) == len(documents) and all(one >= other for one, other in pairwise(scores)):
            return scores
    return [1.0 / rank for rank in range(1, len(documents) + 1)]
