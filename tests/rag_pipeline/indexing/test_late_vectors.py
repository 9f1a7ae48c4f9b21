"""Late chunking: chunk vectors are means of their tokens' vectors, and a document is read once for all sizes."""

from __future__ import annotations

import os

import numpy as np
import pytest

from rag_pipeline.embedders.base import embedders
from rag_pipeline.embedders.local import LocalEmbedder, unit_length
from rag_pipeline.errors import ConfigError
from rag_pipeline.indexing import token_vectors
from rag_pipeline.indexing.chunk_table import ChunkTable
from rag_pipeline.indexing.chunk_vectors import ChunkVectors
from rag_pipeline.indexing.embedding_cache import CachedEmbedder
from rag_pipeline.types import Chunk, SourceDoc, Span
from tests.fake_embedder import WordsEmbedder
from tests.tiny_bert import make_tiny_bert

WORDS = ["the", "mill", "grinds", "wheat", "and", "rye", "when", "wind", "blows", "over", "hills", "."]
TEXT = " ".join(WORDS[(7 * place + place // 5) % len(WORDS)] for place in range(400))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model that reads 34 tokens at once, special ones included: windows of 32 that overlap by 8."""
    return make_tiny_bert(tmp_path_factory.mktemp("tiny") / "model", WORDS, window=34)


@pytest.fixture
def embedder(folder, tmp_path) -> CachedEmbedder:
    return CachedEmbedder(LocalEmbedder(str(folder), "late"), tmp_path)


def chunks_of(doc: SourceDoc, size: int) -> ChunkTable:
    starts = range(0, len(doc.text), size)
    return ChunkTable.of([Chunk(Span(doc.id, start, min(start + size, len(doc.text)))) for start in starts])


def test_a_short_document_s_vector_is_the_mean_of_its_tokens(embedder):
    text = "the mill grinds wheat"
    [vectors] = embedder.inner._read_tokens([embedder.inner._tokenizer.encode(text).ids])
    pooled = embedder.tokens.pooled(text, np.asarray([(0, len(text)), (4, 8), (5, 6)]))
    expected = unit_length(np.stack([vectors[1:5].mean(axis=0), vectors[2], vectors[2]]))  # [CLS] left out
    np.testing.assert_allclose(pooled, expected, atol=2e-3)  # kept in half precision


def test_a_token_s_vector_is_that_of_its_home_window(embedder):
    model = embedder.inner
    windows = model.late_windows(TEXT)
    assert (windows.tokens, windows.size, windows.overlap) == (400, 32, 8)
    ids = model._tokenizer.encode(TEXT, add_special_tokens=False).ids
    together = model.token_vectors(TEXT, range(len(windows)))
    assert together.shape[0] == 400
    for number in (0, 3, len(windows) - 1):
        (start, end), (first, last) = windows.window(number), windows.home(number)
        [alone] = model._read_tokens([[2, *ids[start:end], 3]])
        cosines = np.sum(unit_length(together[first:last]) * unit_length(alone[1:-1][first - start : last - start]), 1)
        assert cosines.min() > 0.999


def test_a_sweep_over_sizes_reads_each_window_once(embedder, monkeypatch):
    monkeypatch.setattr(token_vectors, "PART", 4)
    docs = [SourceDoc(1, "long", TEXT), SourceDoc(2, "short", "rye and wheat")]
    windows = len(embedder.late_windows(TEXT))
    whole = unit_length(embedder.inner.token_vectors(TEXT, range(windows)).mean(axis=0, keepdims=True))
    read: list[int] = []
    inner = embedder.inner.token_vectors

    def noted(text, numbers):
        read.append(len(numbers))
        return inner(text, numbers)

    monkeypatch.setattr(embedder.inner, "token_vectors", noted)
    first = ChunkVectors(docs, ChunkTable.of([Chunk(Span(1, 0, 50)), Chunk(Span(2, 0, 13))]), embedder)
    assert first.missing() == windows + 1
    assert list(first.compute())[-1] == windows + 1
    for size in (40, 90, len(TEXT)):
        chunks = ChunkVectors(docs, chunks_of(docs[0], size), embedder)
        assert chunks.missing() == 0
        vectors = chunks.vectors()
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors @ whole.T).item() > 0.9999  # one chunk over all windows and files
    assert sum(read) == windows + 1
    assert max(read) == 4


def test_vectors_stand_in_the_order_of_the_table_and_a_document_without_chunks_is_no_matter(embedder):
    docs = [SourceDoc(1, "a", "the mill"), SourceDoc(2, "b", ""), SourceDoc(3, "c", "rye blows")]
    table = ChunkTable.of([Chunk(Span(3, 0, 3)), Chunk(Span(1, 4, 8)), Chunk(Span(3, 4, 9))])
    vectors = ChunkVectors(docs, table, embedder).vectors()
    spans = (("rye blows", (0, 3)), ("the mill", (4, 8)), ("rye blows", (4, 9)))
    by_hand = [embedder.tokens.pooled(text, np.asarray([span])) for text, span in spans]
    np.testing.assert_array_equal(vectors, np.concatenate(by_hand))


def test_a_damaged_file_is_read_again(embedder, tmp_path):
    spans = np.asarray([(0, 30)])
    before = embedder.tokens.pooled(TEXT, spans)
    for file in tmp_path.rglob("*.npy"):
        file.write_bytes(b"garbage")
    np.testing.assert_array_equal(embedder.tokens.pooled(TEXT, spans), before)


def test_what_was_used_longest_ago_is_forgotten_first(embedder, tmp_path):
    for text in ("the mill", "rye blows", "wind over hills"):
        list(embedder.tokens.read(text))
        for file in tmp_path.rglob("*.npy"):
            os.utime(file, (file.stat().st_atime, file.stat().st_mtime - 100))
    assert embedder.tokens.unread("the mill") == embedder.tokens.unread("wind over hills") == 0
    embedder.tokens.forget_oldest(most=max(file.stat().st_size for file in tmp_path.rglob("*.npy")))
    assert embedder.tokens.unread("the mill") == 1
    assert embedder.tokens.unread("wind over hills") == 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_way_through_sentence_transformers_gives_the_same_token_vectors(embedder, folder):
    slow = LocalEmbedder(str(folder), "late")
    slow.__dict__["_fast"] = None  # as on a machine without OpenVINO
    windows = range(len(slow.late_windows(TEXT)))
    fast = embedder.inner.token_vectors(TEXT, windows)
    assert np.sum(unit_length(slow.token_vectors(TEXT, windows)) * unit_length(fast), axis=1).min() > 0.99


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_a_model_that_pools_otherwise_is_refused_with_the_mend(tmp_path):
    model = LocalEmbedder(str(make_tiny_bert(tmp_path / "cls", WORDS, pooling="cls")), "late")
    with pytest.raises(ConfigError, match="Choose mean or head as embed mode"):
        model.token_vectors(TEXT, range(1))


def test_an_embedder_without_tokens_says_so():
    with pytest.raises(ConfigError, match="words:any gives no vectors of single tokens"):
        WordsEmbedder("any").late_windows(TEXT)
    assert not embedders.get("openai").gives_tokens
