"""Maximal marginal relevance: the formula by hand, its ends, and less of the same on real text."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from pydantic import ValidationError

from rag_pipeline.retrievers.dense import DenseRetriever
from rag_pipeline.retrievers.mmr import MmrOptions, MmrRetriever, choose
from rag_pipeline.types import Query
from tests.minilm import minilm
from tests.rag_pipeline.retrievers.texts import CountingEmbedder, index_of, nuts, time_machine

# Unit vectors: the first two nearly alike, the third at right angles to the first.
POOL = np.asarray([[1, 0, 0], [0.96, 0.28, 0], [0, 0.6, 0.8]], np.float32)
NEARNESS = np.asarray([0.9, 0.88, 0.5], np.float32)


def test_by_hand():
    # 0.5 · 0.9 = 0.45, then 0.5 · 0.88 - 0.5 · 0.96 = -0.04 against 0.5 · 0.5 - 0.5 · 0 = 0.25,
    # then 0.44 - 0.5 · max(0.96, 0.28 · 0.6 = 0.168) = -0.04
    chosen, values = choose(NEARNESS, POOL, 3, 0.5)
    assert chosen == [0, 2, 1]
    assert values == pytest.approx([0.45, 0.25, -0.04], abs=1e-6)


def test_by_hand_with_a_larger_lambda():
    # 0.8 · 0.9 = 0.72, then 0.704 - 0.192 = 0.512 against 0.4 - 0, then 0.4 - 0.2 · 0.168 = 0.3664
    chosen, values = choose(NEARNESS, POOL, 3, 0.8)
    assert chosen == [0, 1, 2]
    assert values == pytest.approx([0.72, 0.512, 0.3664], abs=1e-6)


def test_lambda_of_one_is_dense():
    index = index_of([time_machine()], CountingEmbedder())
    asked = [Query("the fourth dimension"), Query("a lamp on the table")]
    dense = DenseRetriever(index).retrieve_many(asked, 15)
    assert MmrRetriever(index, MmrOptions(mmr_lambda=1)).retrieve_many(asked, 15) == dense


def test_the_first_is_the_nearest_whatever_lambda():
    index = index_of([time_machine()], CountingEmbedder())
    asked = [Query("the fourth dimension")]
    first = DenseRetriever(index).retrieve_many(asked, 1)[0][0].span
    for value in (0, 0.3, 0.9):
        assert MmrRetriever(index, MmrOptions(mmr_lambda=value)).retrieve_many(asked, 3)[0][0].span == first


def test_passes_over_repeats():
    """The same paragraph in three editions: dense gives it three times, mmr once."""
    paragraphs = [part for part in time_machine().split("\n\n") if len(part) > 200][:12]
    embedder = minilm()
    index = index_of(["\n\n".join(paragraphs)] * 3, embedder)
    asked = [Query(" ".join(paragraphs[4].split()[:12]))]
    dense = DenseRetriever(index).retrieve_many(asked, 3)[0]
    mmr = MmrRetriever(index).retrieve_many(asked, 3)[0]
    assert len({(hit.span.start, hit.span.end) for hit in dense}) == 1
    assert len({(hit.span.start, hit.span.end) for hit in mmr}) == 3


def test_what_it_chooses_is_less_alike():
    index = nuts()
    asked = [Query("How does a self-locking nut lock?")]
    rows = {index.span(row): row for row in range(len(index))}

    def alike(value: float) -> float:
        hits = MmrRetriever(index, MmrOptions(mmr_lambda=value)).retrieve_many(asked, 5)[0]
        vectors = index.vectors[[rows[hit.span] for hit in hits]]
        return float(np.mean([one @ other for one, other in itertools.combinations(vectors, 2)]))

    assert alike(0.3) < alike(0.7) < alike(1)


def test_lambda_outside_0_to_1_is_refused():
    with pytest.raises(ValidationError):
        MmrOptions(mmr_lambda=1.1)
