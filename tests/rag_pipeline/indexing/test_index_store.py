"""The index of chunks in memory and on disk: headings, parents, and the index of some documents alone."""

from __future__ import annotations

import json
import os
from functools import partial

import numpy as np
import pytest

from rag_pipeline.embedders.base import embedders
from rag_pipeline.indexing import index_store
from rag_pipeline.indexing.chunk_table import ChunkTable
from rag_pipeline.indexing.index_store import ChunkIndex, load_index, save_index
from rag_pipeline.indexing.neighbours import build_neighbours
from rag_pipeline.types import Chunk, SourceDoc, Span

GUIDE = SourceDoc(3, "guide.md", "# Guide\n\n## Install\n\nRun the setup. Then start it.")
NOTE = SourceDoc(5, "note.txt", "Start it twice.")
CHUNKS = [
    Chunk(Span(3, 0, 19)),
    Chunk(Span(3, 21, 35), "Guide > Install", Span(3, 21, 50)),
    Chunk(Span(3, 36, 50), "Guide > Install", Span(3, 21, 50)),
    Chunk(Span(5, 0, 15)),
]


@pytest.fixture
def index() -> ChunkIndex:
    table = ChunkTable.of(CHUNKS)
    vectors = np.eye(4, dtype=np.float32)
    return ChunkIndex.of([GUIDE, NOTE], table, vectors, embedders.get("local")("all-MiniLM-L6-v2"))


def test_a_chunk_is_embedded_under_its_headings_and_its_span_stays_the_text_s(index):
    assert index.embedded_text(1) == "Guide > Install\nRun the setup."
    assert index.text(1) == "Run the setup."
    assert index.embedded_text(3) == "Start it twice."
    assert ChunkTable.of(CHUNKS).embedded_texts([GUIDE, NOTE]) == [index.embedded_text(row) for row in range(4)]


def test_a_chunk_knows_its_parent_and_one_without_is_its_own(index):
    assert index.parent(2) == Span(3, 21, 50)
    assert index.parent(3) == Span(5, 0, 15)
    assert ChunkTable.of([Chunk(Span(5, 0, 15))]).parents is None


def test_an_index_of_one_document_finds_nothing_of_the_others(index):
    one = index.restricted({5})
    assert [one.text(row) for row in range(len(one))] == ["Start it twice."]
    assert list(one.documents) == [5]
    scores, rows = one.search(np.eye(4, dtype=np.float32)[3:], 10)
    assert (scores.tolist(), rows.tolist()) == ([[1.0]], [[0]])
    assert (one.heading(0), one.parent(0)) == ("", Span(5, 0, 15))
    assert len(index.restricted(set())) == 0


def test_headings_and_parents_come_back_from_the_disk(index, tmp_path):
    folder = tmp_path / "index"
    save_index(folder, ChunkTable.of(CHUNKS), index.vectors, {})
    again = load_index(folder, [GUIDE, NOTE], index.embedder)
    assert again is not None
    assert again.headings == ("", "Guide > Install", "Guide > Install", "")
    assert [again.parent(row) for row in range(4)] == [index.parent(row) for row in range(4)]


@pytest.mark.parametrize("file", ["headings.json", "parents.npy"])
def test_damaged_headings_or_parents_are_not_used(index, tmp_path, file):
    folder = tmp_path / "index"
    save_index(folder, ChunkTable.of(CHUNKS), index.vectors, {})
    (folder / file).write_bytes((folder / file).read_bytes()[:-3] + b"xyz")
    assert load_index(folder, [GUIDE, NOTE], index.embedder) is None


def test_an_index_of_an_earlier_format_is_built_again(index, tmp_path):
    folder = tmp_path / "index"
    save_index(folder, ChunkTable.of(CHUNKS), index.vectors, {})
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps(meta | {"format": 1}))
    assert load_index(folder, [GUIDE, NOTE], index.embedder) is None


def test_opening_reads_no_vector_and_maps_them(index, tmp_path, monkeypatch):
    folder = tmp_path / "index"
    save_index(folder, ChunkTable.of(CHUNKS), index.vectors, {})
    read: list[str] = []
    checksum = index_store._checksum
    monkeypatch.setattr(index_store, "_checksum", lambda path: read.append(path.name) or checksum(path))
    again = load_index(folder, [GUIDE, NOTE], index.embedder)
    assert again is not None
    assert isinstance(again.vectors, np.memmap)
    assert "vectors.npy" not in read
    np.testing.assert_array_equal(again.vectors, index.vectors)
    (folder / "vectors.npy").touch()  # somebody may have written to it
    assert load_index(folder, [GUIDE, NOTE], index.embedder) is not None
    assert "vectors.npy" in read


def test_damaged_vectors_are_not_used(index, tmp_path):
    folder = tmp_path / "index"
    save_index(folder, ChunkTable.of(CHUNKS), index.vectors, {})
    file = folder / "vectors.npy"
    file.write_bytes(file.read_bytes()[:-3] + b"xyz")
    os.utime(file, ns=(1, 1))  # however coarse the clock of the disk is
    assert load_index(folder, [GUIDE, NOTE], index.embedder) is None


def test_an_approximate_index_comes_back_with_its_recall(index, tmp_path):
    random = np.random.default_rng(0)
    vectors = random.normal(size=(500, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    table = ChunkTable.of([Chunk(Span(3, row % 40, row % 40 + 1)) for row in range(500)])
    save_index(tmp_path / "index", table, vectors, {}, partial(build_neighbours, vectors, "hnsw", vectors[:50]))
    again = load_index(tmp_path / "index", [GUIDE, NOTE], index.embedder)
    assert again is not None
    assert again.notes[0].startswith("Searched approximately (hnsw): ")
    assert again.search(vectors[:5], 3)[1][:, 0].tolist() == [0, 1, 2, 3, 4]
    assert again.restricted({3}).notes == index.notes == ()
