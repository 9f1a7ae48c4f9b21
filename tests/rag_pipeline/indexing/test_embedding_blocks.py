"""Embedding reports and stores block by block: blocks of about as much text, the longest texts first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rag_pipeline.embedders.base import Vectors
from rag_pipeline.indexing import embedding_cache
from rag_pipeline.indexing.embedding_cache import CachedEmbedder
from tests.fake_embedder import WordsEmbedder


class Watched(WordsEmbedder):
    """Notes the lengths of what it is asked to embed at once."""

    characters_a_block = 100

    def __init__(self) -> None:
        super().__init__("counts")
        self.asked: list[list[int]] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.asked.append([len(text) for text in texts])
        return super().embed_passages(texts)


def test_blocks_are_of_as_much_text_and_the_longest_come_first(tmp_path):
    inner = Watched()
    cache = CachedEmbedder(inner, tmp_path)
    texts = ["a" * 10, "b" * 150, "c" * 60, "d" * 40, "e" * 30, "a" * 10]
    assert list(cache.embed_progressively(texts)) == [1, 3, 5]
    assert inner.asked == [[150], [60, 40], [30, 10]]
    assert list(cache.embed_progressively(texts)) == []
    assert np.array_equal(cache.embed_passages(texts), WordsEmbedder("counts").embed_passages(texts))


def test_what_an_interrupted_build_has_done_is_kept(tmp_path):
    cache = CachedEmbedder(Watched(), tmp_path)
    texts = [letter * 90 for letter in "abc"]
    next(cache.embed_progressively(texts))
    assert cache.unseen(texts) == ["b" * 90, "c" * 90]


@pytest.mark.parametrize("room", [1, 4_000, 16 * 2**20])
def test_vectors_are_the_same_however_many_are_held(tmp_path, monkeypatch, room):
    monkeypatch.setattr(embedding_cache, "_HELD", room)
    cache, plain = CachedEmbedder(Watched(), tmp_path), WordsEmbedder("counts")
    for texts in (["one", "two two", "one"], ["two two", "three"], ["four"] * 3, ["one", "four", "five five"], []):
        again = cache.embed_passages(texts)
        assert again.shape[0] == len(texts)
        assert not texts or np.array_equal(again, plain.embed_passages(texts))


def test_a_vector_that_is_held_is_not_read_again(tmp_path):
    cache = CachedEmbedder(Watched(), tmp_path)
    first = cache.embed_passages(["one", "two"])
    for file in tmp_path.glob("*.sqlite3*"):
        file.unlink()
    assert np.array_equal(cache.embed_passages(["two", "one"]), first[::-1])
