"""An opened pipeline, and an index in files, as LangChain's own interfaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.utils import AddableDict
from pydantic import PrivateAttr

from rag_pipeline.embedders.base import Embedder
from rag_pipeline.errors import ConfigError, PipelineError, ProviderError
from rag_pipeline.indexing.faiss_files import FaissFiles
from rag_pipeline.llm.loop_thread import iterate_blocking, run_blocking
from rag_pipeline.pipeline.pipeline import Pipeline
from rag_pipeline.pipeline.retrieval import contexts_of
from rag_pipeline.pipeline.runner import run_block
from rag_pipeline.types import Context, Query, Trace


class WorkbenchRetriever(BaseRetriever):
    """Contexts as LangChain documents; the metadata: `source`, `start_index`, `end_index`, `page`, `score`, `rank`."""

    _pipeline: Pipeline = PrivateAttr()

    @classmethod
    def over(cls, pipeline: Pipeline) -> WorkbenchRetriever:
        """Return the retriever of an opened pipeline."""
        made = cls(name="workbench_retriever")
        made._pipeline = pipeline
        return made

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = run_blocking(self._pipeline.retrieve_many([query]))[0]
        if found.error is not None:
            raise found.error
        return [_document(context) for context in contexts_of(found.hits, self._pipeline.documents)]


class WorkbenchPipeline(Runnable[Any, dict[str, Any]]):
    """Takes a question, or a dict with it as `input` or `question`. Raises PipelineError for what it cannot answer."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Answer one question."""
        return self._call_with_config(lambda given: self._answered([given])[0], input, config)

    def batch(
        self,
        inputs: list[Any],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[dict[str, Any]]:
        """Answer many questions, as many at once as the model's server takes."""
        return self._answered(inputs, return_exceptions=return_exceptions)

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[dict[str, Any]]:
        """Yield `input`, then pieces of `answer` as they come, then `context`: added up, what `invoke` returns."""
        question = _question(input)
        yield AddableDict(input=question)
        for piece in iterate_blocking(lambda: self._pipeline.answer_stream(question)):
            if isinstance(piece, Trace):
                yield AddableDict(context=[_document(context) for context in piece.contexts])
            else:
                yield AddableDict(answer=piece)

    def _answered(self, inputs: Sequence[Any], *, return_exceptions: bool = False) -> list[Any]:
        questions = [_question(each) for each in inputs]
        results: list[Any] = [None] * len(questions)
        for block in run_block(self._pipeline, [Query(each) for each in questions]):
            for position, trace in block:
                results[position] = _result(trace)
        stopped = next((each for each in results if isinstance(each, PipelineError)), None)
        results = [stopped if each is None else each for each in results]  # what a permanent failure left out
        if stopped is not None and not return_exceptions:
            raise stopped
        return results


class FaissRetriever(BaseRetriever):
    """Nearest rows of an index, with what their lines say as metadata."""

    search_kwargs: dict[str, Any] = {"k": 4}
    _files: FaissFiles = PrivateAttr()
    _embedder: Embedder = PrivateAttr()

    @classmethod
    def of(cls, files: FaissFiles, embedder: Embedder, top_k: int) -> FaissRetriever:
        """Return the retriever of some files."""
        made = cls(name="faiss_retriever", search_kwargs={"k": top_k})
        made._files, made._embedder = files, embedder
        return made

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = self._files.search(self._embedder.embed_queries([query])[0], self.search_kwargs["k"])
        return [Document(row["text"], metadata=_metadata(row) | {"score": score}) for row, score in found]


def _question(given: Any) -> str:
    named = given.get("input", given.get("question")) if isinstance(given, Mapping) else given
    if not isinstance(named, str) or not named.strip():
        raise ConfigError("Give a question: a text, or a dict with it as input.", "input")
    return named


def _document(context: Context) -> Document:
    place = {"source": context.document, "start_index": context.span.start, "end_index": context.span.end}
    page = {} if context.page is None else {"page": context.page}
    return Document(context.text, metadata=place | page | {"score": context.score, "rank": context.rank})


def _metadata(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a line says by LangChain's names."""
    renamed = {"document": "source", "start": "start_index", "end": "end_index"}
    return {renamed.get(name, name): value for name, value in row.items() if name != "text"}


def _result(trace: Trace) -> dict[str, Any] | PipelineError:
    if trace.error:
        return ProviderError(trace.error, permanent=trace.permanent)
    return {
        "input": trace.question,
        "context": [_document(context) for context in trace.contexts],
        "answer": trace.answer,
    }
