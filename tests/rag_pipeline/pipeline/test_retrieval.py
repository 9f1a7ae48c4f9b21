"""The steps of retrieval in their order, with small units of our own around them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from rag_pipeline.consolidators.base import Consolidator
from rag_pipeline.errors import PipelineError, ProviderError
from rag_pipeline.indexing.chunk_table import ChunkTable
from rag_pipeline.indexing.index_store import ChunkIndex
from rag_pipeline.pipeline.retrieval import Retrieval, Retrieved
from rag_pipeline.query_transforms.base import QueryTransform, Transformed
from rag_pipeline.rerankers.base import Reranked, Reranker
from rag_pipeline.retrievers.dense import DenseRetriever
from rag_pipeline.types import Chunk, Context, Hit, Query, SourceDoc, Span, Usage
from tests.fake_embedder import WordsEmbedder, embed_words

TEXT = "red apple\ngreen pear\nred wine\nblue sea\ngreen sea\nred sea"
DOC = SourceDoc(7, "colours.txt", TEXT)
LINES = [Span(7, TEXT.index(line), TEXT.index(line) + len(line)) for line in TEXT.split("\n")]
FRUIT, DRINK, SEA = Span(7, 0, 20), Span(7, 21, 29), Span(7, 30, len(TEXT))
PARENTS = [FRUIT, FRUIT, DRINK, SEA, SEA, SEA]
USAGE = Usage(10, 2, 0.5)


class OtherWords(QueryTransform):
    """Searches for two texts; cannot do with an empty question."""

    async def transform_many(self, questions: Sequence[str]) -> Sequence[Transformed | PipelineError]:
        return [
            Transformed((text, "blue"), USAGE, 1.0, ("reworded",)) if text else ProviderError("Nothing to rewrite.")
            for text in questions
        ]


class LastFirst(Reranker):
    """Turns the order round."""

    async def rerank_many(
        self, questions: Sequence[str], candidates: Sequence[Sequence[Context]]
    ) -> Sequence[Reranked | PipelineError]:
        return [
            Reranked(tuple(range(len(each)))[::-1], tuple(float(n) for n in range(len(each)))[::-1], USAGE, 2.0)
            for each in candidates
        ]


class FirstWord(Consolidator):
    """Keeps the first word of each context."""

    def consolidate_many(self, questions: Sequence[str], contexts: Sequence[Sequence[Context]]) -> list[list[Hit]]:
        return [
            [
                Hit(Span(7, each.span.start, each.span.start + each.text.index(" ")), each.score, rank)
                for rank, each in enumerate(found, 1)
            ]
            for found in contexts
        ]


def retrieval(*, top_k: int = 2, with_parents: bool = False, **steps: object) -> Retrieval:
    chunks = [Chunk(span, parent=parent) for span, parent in zip(LINES, PARENTS, strict=True)]
    texts = TEXT.split("\n")
    index = ChunkIndex.of([DOC], ChunkTable.of(chunks), embed_words(texts), WordsEmbedder("any"))
    parents = dict(zip(LINES, PARENTS, strict=True))
    return Retrieval(
        documents={7: DOC},
        retriever=DenseRetriever(index),
        top_k=top_k,
        parent_of=parents.__getitem__ if with_parents else None,
        **steps,  # type: ignore[arg-type]
    )


def found(made: Retrieval, *questions: str | Query) -> list[Retrieved]:
    queries = [Query(each) if isinstance(each, str) else each for each in questions]
    return asyncio.run(made.retrieve_many(queries))


def texts(hits: Sequence[Hit]) -> list[str]:
    return [TEXT[hit.span.start : hit.span.end] for hit in hits]


def test_without_steps_the_best_chunks_are_found_and_the_question_is_what_was_sent():
    result = found(retrieval(), "red sea")[0]
    assert texts(result.hits) == ["red sea", "red apple"]
    assert result.queries == ("red sea",)
    assert [step.name for step in result.steps] == ["retrieve"]


def test_several_texts_are_fused_and_what_they_cost_counts():
    result = found(retrieval(top_k=3, transform=OtherWords()), "green pear")[0]
    # "green pear" finds pear, green sea, apple, wine, blue sea, red sea; "blue" blue sea, apple, pear, wine, green
    # sea, red sea: what matches nothing stands in order of position.
    assert texts(result.hits) == ["green pear", "red apple", "blue sea"]
    assert [hit.score for hit in result.hits] == pytest.approx([1 / 61 + 1 / 63, 1 / 63 + 1 / 62, 1 / 61 + 1 / 65])
    assert result.queries == ("green pear", "blue")
    assert result.usage == USAGE
    assert result.notes == ("reworded",)
    assert result.seconds > 1.0


def test_a_question_that_fails_leaves_the_others_alone():
    good, bad = found(retrieval(transform=OtherWords(), reranker=LastFirst(), candidates=3), "red wine", "")
    assert good.error is None
    assert good.hits
    assert isinstance(bad.error, ProviderError)
    assert bad.hits == ()


def test_the_reranker_chooses_among_its_candidates_and_the_loser_is_seen():
    result = found(retrieval(top_k=1, reranker=LastFirst(), candidates=3), "red wine")[0]
    before, after = (texts(step.hits) for step in result.steps)
    assert before[0] == "red wine"
    assert after == before[::-1]
    assert texts(result.hits) == after[:1]
    assert [hit.rank for hit in result.steps[1].hits] == [1, 2, 3]
    assert result.hits[0].score == 2.0
    assert result.usage == USAGE


def test_children_are_searched_and_each_parent_is_given_once():
    result = found(retrieval(top_k=2, with_parents=True), "sea")[0]
    assert result.hits[0].span == SEA
    assert len({hit.span for hit in result.hits}) == len(result.hits) == 2  # three children of SEA rank first
    assert [hit.rank for hit in result.hits] == [1, 2]
    assert result.steps[-1].name == "parents"


def test_consolidation_and_budget_come_last():
    made = retrieval(top_k=3, consolidator=FirstWord(), budget=2, count_tokens=lambda text: len(text.split()))
    result = found(made, "red sea")[0]
    assert [step.name for step in result.steps] == ["retrieve", "consolidate", "budget"]
    assert texts(result.hits) == ["red", "red"]
    assert len(result.steps[1].hits) == 3


def test_a_budget_below_the_first_context_leaves_none_and_says_so():
    result = found(retrieval(budget=1, count_tokens=lambda text: len(text.split())), "red sea")[0]
    assert result.hits == ()
    assert "Raise the budget" in result.notes[0]


def test_equals_stand_in_order_of_position_wherever_the_list_ends():
    every = texts(found(retrieval(top_k=6), "red sea")[0].hits)
    assert every[1:5] == ["red apple", "red wine", "blue sea", "green sea"]  # each has cosine 0.5
    for count in range(1, 6):
        assert texts(found(retrieval(top_k=count), "red sea")[0].hits) == every[:count]


def test_given_contexts_are_taken_as_they_are():
    hit = Hit(LINES[3], 0.5, 1)
    given, asked = found(retrieval(transform=OtherWords()), Query("red sea", given=(hit,)), "red sea")
    assert given.hits == (hit,)
    assert given.queries == given.steps == ()
    assert asked.queries


@pytest.mark.parametrize("steps", [{}, {"reranker": LastFirst(), "candidates": 20}, {"consolidator": FirstWord()}])
def test_more_asked_than_there_is(steps):
    result = found(retrieval(top_k=100, **steps), "red")[0]
    assert len(result.hits) == len(LINES)
    assert found(retrieval(**steps)) == []
