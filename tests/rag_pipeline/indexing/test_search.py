"""Exact search is brute force, whatever comes together; approximate search says truly what it misses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_pipeline.indexing import exact_search, neighbours
from rag_pipeline.indexing.exact_search import search_exactly
from rag_pipeline.indexing.neighbours import NearIndex, build_neighbours, kind_for, recall


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def brute_force(vectors, queries, count):
    """Every product in 64-bit floats, sorted whole."""
    scores = (queries.astype(np.float64)[:, None, :] * vectors.astype(np.float64)[None]).sum(axis=2).astype(np.float32)
    rows = [np.lexsort((np.arange(len(vectors)), -line))[:count] for line in scores]
    return np.stack([line[order] for line, order in zip(scores, rows, strict=True)]), np.stack(rows)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    size=st.integers(1, 300),
    questions=st.integers(1, 12),
    count=st.integers(1, 40),
    kinds=st.integers(1, 50),
    block=st.sampled_from([7, 64, 1000]),
)
def test_exact_search_is_brute_force(seed, size, questions, count, kinds, block):
    """`kinds`: of how many different vectors the rows are: few make many ties, which go to the earlier row."""
    random = np.random.default_rng(seed)
    vectors = unit(random.normal(size=(kinds, 24)))[random.integers(kinds, size=size)]
    queries = unit(random.normal(size=(questions, 24)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_search, "_BLOCK", block)
        patch.setattr(exact_search, "_SOME", 5)
        patch.setattr(exact_search, "_QUESTIONS", 5)
        scores, rows = search_exactly(vectors, queries, count)
    expected_scores, expected_rows = brute_force(vectors, queries, count)
    np.testing.assert_allclose(scores, expected_scores, atol=1e-7)  # the order of adding moves the last bit at most
    close = np.abs(np.diff(expected_scores, axis=1)) < 2e-7
    if not (close & (np.diff(expected_rows, axis=1) < 0)).any():  # two that differ by a last bit may change places
        np.testing.assert_array_equal(rows, expected_rows)


def test_neither_company_nor_memory_moves_a_score(tmp_path):
    random = np.random.default_rng(3)
    vectors, queries = unit(random.normal(size=(5000, 384))), unit(random.normal(size=(70, 384)))
    np.save(tmp_path / "vectors.npy", vectors)
    together = search_exactly(vectors, queries, 10)
    mapped = search_exactly(np.load(tmp_path / "vectors.npy", mmap_mode="r"), queries, 10)
    for mine, theirs in zip(together, mapped, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for line in range(0, 70, 9):
        scores, rows = search_exactly(vectors, queries[line : line + 1], 10)
        np.testing.assert_array_equal(scores[0], together[0][line])
        np.testing.assert_array_equal(rows[0], together[1][line])


def test_nothing_to_find_and_nothing_asked():
    vectors = unit(np.eye(3))
    assert search_exactly(vectors[:0], vectors, 5)[1].shape == (3, 0)
    assert search_exactly(vectors, vectors[:0], 5)[1].shape == (0, 3)


@pytest.fixture(scope="module")
def clustered():
    """Vectors in groups, so that neighbours are near, and questions beside some of them."""
    random = np.random.default_rng(1)
    centres = random.normal(size=(40, 64))
    vectors = unit(centres[random.integers(40, size=2000)] + random.normal(size=(2000, 64)))
    return vectors, unit(vectors[::10] + 0.05 * random.normal(size=(200, 64)))


@pytest.mark.parametrize("kind", ["hnsw", "ivf", "ivf_pq"])
def test_the_recall_is_that_of_the_opened_index_against_brute_force(clustered, tmp_path, kind):
    vectors, questions = clustered
    facts = build_neighbours(vectors, kind, questions, tmp_path / "index")
    scores, rows = NearIndex(facts, tmp_path / "index").search(vectors, questions, 10)
    exact_scores, exact_rows = brute_force(vectors, questions, 10)
    measured = np.mean([len(set(mine) & set(theirs)) / 10 for mine, theirs in zip(rows, exact_rows, strict=True)])
    assert facts.recall == pytest.approx(measured, abs=0.005)
    assert facts.recall >= neighbours.WANTED
    assert (facts.kind, facts.questions) == (kind, 200)
    assert (scores <= exact_scores + 1e-6).all()
    assert f"{100 * facts.recall:.1f} %" in facts.note


@pytest.mark.parametrize("size", [1, 3, 40, 200])
@pytest.mark.parametrize("dimension", [7, 64])
def test_product_quantization_takes_few_vectors_and_any_dimension(tmp_path, size, dimension):
    vectors = unit(np.random.default_rng(size).normal(size=(size, dimension)))
    facts = build_neighbours(vectors, "ivf_pq", vectors, tmp_path / "index")
    rows = NearIndex(facts, tmp_path / "index").search(vectors, vectors, 1)[1]
    assert facts.recall >= neighbours.WANTED
    np.testing.assert_array_equal(rows[:, 0], np.arange(size))


def test_product_quantization_takes_less_room(clustered, tmp_path):
    vectors, questions = clustered
    sizes = {}
    for kind in ("ivf", "ivf_pq"):
        build_neighbours(vectors, kind, questions, tmp_path / kind)
        sizes[kind] = (tmp_path / kind).stat().st_size
    assert sizes["ivf_pq"] < 0.6 * sizes["ivf"]


def test_a_recall_that_falls_short_is_told_as_it_is(tmp_path, monkeypatch):
    random = np.random.default_rng(2)
    vectors, questions = unit(random.normal(size=(4000, 64))), unit(random.normal(size=(50, 64)))  # without any groups
    with monkeypatch.context() as patch:
        patch.setattr(neighbours, "_MOST_EFFORT", 16)
        facts = build_neighbours(vectors, "ivf", questions, tmp_path / "index")
    found = NearIndex(facts, tmp_path / "index").search(vectors, questions, 10)[1]
    wanted = brute_force(vectors, questions, 10)[1]
    measured = np.mean([len(set(mine) & set(theirs)) / 10 for mine, theirs in zip(found, wanted, strict=True)])
    assert facts.recall == pytest.approx(measured, abs=0.005)
    assert 0.2 < facts.recall < neighbours.WANTED
    assert build_neighbours(vectors, "ivf", questions, tmp_path / "other").recall >= neighbours.WANTED


def test_where_the_index_proposes_too_few_the_search_is_exact(clustered, tmp_path):
    vectors, questions = clustered
    facts = build_neighbours(vectors, "ivf", questions, tmp_path / "index")
    found = NearIndex(facts, tmp_path / "index").search(vectors, questions[:3], 3900)
    np.testing.assert_array_equal(found[1], search_exactly(vectors, questions[:3], 3900)[1])


@pytest.mark.parametrize(
    ("setting", "chunks", "kind"),
    [
        ("auto", 1_000_000, "flat"),
        ("auto", 1_000_001, "ivf"),
        ("flat", 9_000_000, "flat"),
        ("hnsw", 10, "hnsw"),
    ],
)
def test_auto_chooses_by_size(setting, chunks, kind):
    assert kind_for(setting, chunks) == kind


def test_recall_by_hand():
    assert recall(np.asarray([[1, 2], [3, 4]]), np.asarray([[2, 9], [4, 3]])) == 0.75
    assert recall(np.zeros((2, 0), int), np.zeros((2, 0), int)) == 1.0
