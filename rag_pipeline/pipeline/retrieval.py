"""Retrieval: questions to contexts, one step after the other over a block of questions, each step kept to be seen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rag_pipeline.consolidators.base import Consolidator
from rag_pipeline.errors import PipelineError
from rag_pipeline.pipeline.budget import within_budget
from rag_pipeline.places import passages_in
from rag_pipeline.query_transforms.base import QueryTransform
from rag_pipeline.rerankers.base import Reranker
from rag_pipeline.retrievers.base import Retriever
from rag_pipeline.retrievers.fusion import fuse
from rag_pipeline.types import FREE, Context, Hit, Query, SourceDoc, Span, Step, Usage

_FUSED = 20
"""Chunks of each ranking that are fused, where there are several: one that is sixth in all may be the best."""
CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What retrieval found for one question. `seconds`: its own model calls and its share of the batches.

    `passages`: the texts among the hits and steps that stand in no document of the corpus.
    """

    hits: tuple[Hit, ...] = ()
    queries: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    seconds: float = 0.0
    usage: Usage = FREE
    notes: tuple[str, ...] = ()
    error: PipelineError | None = None
    passages: tuple[SourceDoc, ...] = ()

    def after(self, name: str, hits: Sequence[Hit], seconds: float = 0.0) -> Retrieved:
        """Return this with the hits that a step left."""
        left = tuple(hits)
        return replace(self, hits=left, steps=(*self.steps, Step(name, left)), seconds=self.seconds + seconds)

    @classmethod
    def given(cls, query: Query) -> Retrieved:
        """Return what a query brings with it."""
        return cls(query.given or (), passages=query.passages)

    def with_passages(self, documents: Mapping[int, SourceDoc]) -> Retrieved:
        """Return this with the passages that its hits point into."""
        passages = tuple(passages_in(documents, [hit.span for step in self.steps for hit in step.hits]).values())
        return replace(self, passages=passages) if passages != self.passages else self


@dataclass(frozen=True)
class Retrieval:
    """The steps between a question and its contexts; those that are None are left out.

    `candidates`: how many chunks the reranker sees. `parent_of`: the larger passage that a found chunk stands for.
    `budget`: most tokens of context, counted by `count_tokens`; 0 = no limit.
    """

    documents: Mapping[int, SourceDoc]
    retriever: Retriever
    top_k: int
    transform: QueryTransform | None = None
    reranker: Reranker | None = None
    candidates: int = 0
    parent_of: Callable[[Span], Span] | None = None
    consolidator: Consolidator | None = None
    budget: int = 0
    count_tokens: CountTokens | None = None

    async def retrieve_many(self, queries: Sequence[Query]) -> list[Retrieved]:
        """Return what is found for each query, in order. One that failed carries its `error`. Raises ProviderError."""
        found = [Retrieved.given(query) for query in queries]
        asked = [position for position, query in enumerate(queries) if query.given is None]
        block = await self._steps([queries[position] for position in asked])
        for position, result in zip(asked, block, strict=True):
            found[position] = result
        return found

    async def _steps(self, queries: Sequence[Query]) -> list[Retrieved]:
        if not queries:
            return []
        texts = [query.text for query in queries]
        found = await self._transformed(texts)
        found = await asyncio.to_thread(self._retrieved, queries, found)
        found = await self._reranked(texts, found)
        if self.parent_of is not None:
            found = [each.after("parents", self._parents(each.hits)) for each in found]
        found = [
            each if len(each.hits) <= self.top_k else replace(each, hits=each.hits[: self.top_k]) for each in found
        ]
        found = await asyncio.to_thread(self._consolidated, texts, found)
        return [self._within_budget(each).with_passages(self.documents) for each in found]

    async def _transformed(self, texts: Sequence[str]) -> list[Retrieved]:
        if self.transform is None:
            return [Retrieved(queries=(text,)) for text in texts]
        results = await self.transform.transform_many(texts)
        return [
            Retrieved(error=result)
            if isinstance(result, PipelineError)
            else Retrieved(
                queries=result.queries, usage=result.usage, seconds=result.seconds, notes=tuple(result.notes)
            )
            for result in results
        ]

    def _retrieved(self, queries: Sequence[Query], found: Sequence[Retrieved]) -> list[Retrieved]:
        """Search all texts of all questions in one batch; several texts of a question are fused."""
        started = time.perf_counter()
        depth = max(self.top_k, self.candidates)
        rankings = self._search(queries, found, depth)
        if self.parent_of is not None:
            size = len(self.retriever.index)
            while depth < size and any(self._too_few_parents(hits, depth) for hits in rankings):
                depth *= 4  # many children of few parents: look further down
                rankings = self._search(queries, found, depth)
        share = (time.perf_counter() - started) / len(queries)
        notes = self.retriever.index.notes if self.retriever.needs_vectors else ()
        return [
            each
            if each.error
            else (replace(each, notes=(*each.notes, *notes)) if notes else each).after("retrieve", hits, share)
            for each, hits in zip(found, rankings, strict=True)
        ]

    def ranked(self, queries: Sequence[Query], searched: Sequence[Sequence[str]], depth: int) -> list[list[Hit]]:
        """Return the `depth` best chunks of each query (parents, where chunks stand for them), before all later steps.

        `searched[i]`: the texts that were searched for instead of that of `queries[i]`; several are fused. No model is
        asked. Raises ProviderError.
        """
        if not queries:
            return []
        far = replace(self, retriever=self.retriever.to_the_end())
        hits = far._search(queries, [Retrieved(queries=tuple(texts)) for texts in searched], depth)
        return hits if self.parent_of is None else [self._parents(each) for each in hits]

    def _search(self, queries: Sequence[Query], found: Sequence[Retrieved], depth: int) -> list[list[Hit]]:
        flat = [
            query if text == query.text else replace(query, text=text)
            for query, each in zip(queries, found, strict=True)
            for text in each.queries
        ]
        several = len(flat) > len(queries)
        rankings = iter(self.retriever.retrieve_many(flat, max(depth, _FUSED) if several else depth))
        result = []
        for each in found:
            own = [next(rankings) for _ in each.queries]
            result.append(own[0][:depth] if len(own) == 1 else fuse(own, depth))
        return result

    async def _reranked(self, texts: Sequence[str], found: Sequence[Retrieved]) -> list[Retrieved]:
        if self.reranker is None:
            return list(found)
        heads = [contexts_of(each.hits[: self.candidates], self.documents) for each in found]
        results = await self.reranker.rerank_many(texts, heads)
        reranked = []
        for each, result in zip(found, results, strict=True):
            if each.error is not None:
                reranked.append(each)
            elif isinstance(result, PipelineError):
                reranked.append(replace(each, error=result))
            else:
                hits = [
                    Hit(each.hits[old].span, score, rank)
                    for rank, (old, score) in enumerate(zip(result.order, result.scores, strict=True), 1)
                ]
                notes = (*each.notes, *result.notes)
                each = replace(each, usage=each.usage + result.usage, notes=notes)
                reranked.append(each.after("rerank", [*hits, *each.hits[len(hits) :]], result.seconds))
        return reranked

    def _parents(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return the parent of each hit, once, at the place and with the score of its best child."""
        assert self.parent_of is not None
        best: dict[Span, float] = {}
        for hit in hits:
            best.setdefault(self.parent_of(hit.span), hit.score)
        return [Hit(span, score, rank) for rank, (span, score) in enumerate(best.items(), 1)]

    def _too_few_parents(self, hits: Sequence[Hit], depth: int) -> bool:
        return len(hits) == depth and len(self._parents(hits)) < self.top_k

    def _consolidated(self, texts: Sequence[str], found: Sequence[Retrieved]) -> list[Retrieved]:
        if self.consolidator is None:
            return list(found)
        started = time.perf_counter()
        contexts = [contexts_of(each.hits, self.documents) for each in found]
        kept = self.consolidator.consolidate_many(texts, contexts)
        share = (time.perf_counter() - started) / len(texts)
        return [
            each if each.error else each.after("consolidate", hits, share)
            for each, hits in zip(found, kept, strict=True)
        ]

    def _within_budget(self, found: Retrieved) -> Retrieved:
        if not self.budget or self.count_tokens is None or not found.hits:
            return found
        texts = [context.text for context in contexts_of(found.hits, self.documents)]
        count = within_budget(texts, self.budget, self.count_tokens)
        if count:
            return found.after("budget", found.hits[:count])
        note = (
            f"A question got no context: its best one alone is longer than the context budget ({self.budget}). "
            "Raise the budget, or make chunks smaller."
        )
        return replace(found.after("budget", ()), notes=(*found.notes, note))


def contexts_of(
    hits: Sequence[Hit], documents: Mapping[int, SourceDoc], passages: Sequence[SourceDoc] = ()
) -> tuple[Context, ...]:
    """Return the text of each hit with document and page. `passages`: texts that stand in none of the documents."""
    found, own = [], {each.id: each for each in passages}
    for hit in hits:
        doc = own.get(hit.span.document_id) or documents[hit.span.document_id]
        text = doc.text[hit.span.start : hit.span.end]
        found.append(Context(hit.span, doc.name, text, hit.score, hit.rank, doc.page_at(hit.span.start)))
    return tuple(found)
