"""Approximate search for very many chunks, by FAISS: it proposes candidates, exact scores decide among them.

HNSW: Malkov and Yashunin 2018, "Efficient and robust approximate nearest neighbor search using hierarchical navigable
small world graphs". IVF and PQ: Jégou, Douze and Schmid 2011, "Product quantization for nearest neighbor search".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rag_pipeline.embedders.base import Vectors
from rag_pipeline.indexing.exact_search import Rows, best_of, search_exactly

MOST_EXACT = 1_000_000
"""Chunks up to which `auto` searches exactly."""
DEPTH = 10
"""How many nearest chunks the recall is measured on."""
WANTED = 0.98
"""Recall that is aimed at."""
_MOST_EFFORT = 1024
_LINKS = 32
_TRAINED_ON = 100_000
_A_LIST = 39
"""Vectors that a list of IVF takes to learn; FAISS warns of fewer."""
_BLOCK = 65_536
_SUBVECTOR = 4
"""Dimensions that product quantization holds in one byte together."""
_CODES = 8
"""Bits of a code; fewer, or none, where there are not `_A_LIST` vectors for each to learn from."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What is known of an approximate index.

    `effort`: how far it looks (HNSW: efSearch, IVF: lists; IVF-PQ: lists, and four candidates for each), chosen for its
    recall. `recall`: share of the 10 nearest
    that it finds, measured on `questions` questions.
    """

    kind: str
    effort: int
    recall: float
    questions: int

    @property
    def note(self) -> str:
        """What it misses, in a sentence."""
        return (
            f"Searched approximately ({self.kind}): {self.recall:.1%} of the {DEPTH} nearest chunks are found, "
            f"measured on {self.questions} sentences of the documents. Choose index kind flat for an exact search."
        ).replace("%", " %")


def kind_for(index_kind: str, chunks: int) -> str:
    """Return the kind for a setting and a number of chunks; `auto` never takes hnsw, which lost at a million.

    There it was built six times as slowly as ivf, took more room, and found less at the same cost (docs/benchmarks.md).
    """
    if index_kind != "auto":
        return index_kind
    return "flat" if chunks <= MOST_EXACT else "ivf"


def build_neighbours(vectors: Vectors, kind: str, questions: Vectors, file: Path) -> Neighbours:
    """Build an index of some vectors, look as far as the wanted recall takes, and write it to a file."""
    index = _empty(kind, vectors.shape[1], len(vectors))
    step = max(1, len(vectors) // _TRAINED_ON)
    index.train(np.ascontiguousarray(vectors[::step][:_TRAINED_ON], np.float32))
    for start in range(0, len(vectors), _BLOCK):
        index.add(np.ascontiguousarray(vectors[start : start + _BLOCK], np.float32))
    _faiss().write_index(index, str(file))
    return _measured(index, kind, vectors, questions)


class NearIndex:
    """The approximate index of some vectors; its file is opened, memory-mapped, when the first question comes."""

    def __init__(self, facts: Neighbours, file: Path) -> None:
        self.facts = facts
        self._file = file

    @cached_property
    def _index(self) -> Any:
        faiss = _faiss()
        return faiss.read_index(str(self._file), faiss.IO_FLAG_MMAP_IFC)

    def search(self, vectors: Vectors, queries: Vectors, count: int) -> tuple[Vectors, Rows]:
        """Return (scores, rows) as `search_exactly` does, of the candidates of the index."""
        return _search(self._index, self.facts, vectors, queries, count)


def _search(index: Any, facts: Neighbours, vectors: Vectors, queries: Vectors, count: int) -> tuple[Vectors, Rows]:
    """Return (scores, rows); exactly where the index proposes too few for a question."""
    count = min(count, len(vectors))
    queries = np.ascontiguousarray(queries, np.float32)
    proposed = _candidates(index, facts, queries, count)
    present = proposed >= 0
    if not bool((present.sum(axis=1) >= count).all()):
        return search_exactly(vectors, queries, count)
    return best_of(vectors, queries, np.nonzero(present)[0], proposed[present], count)


def _empty(kind: str, dimension: int, size: int) -> Any:
    """Return an untrained index of vectors in 8 bits a dimension, by PQ in 2: exact scores come from the vectors."""
    faiss = _faiss()
    bits, metric = faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    if kind == "hnsw":
        return faiss.IndexHNSWSQ(dimension, bits, _LINKS, metric)
    lists = max(1, min(round(2 * math.sqrt(size)), min(size, _TRAINED_ON) // _A_LIST))
    code = min(_CODES, int(math.log2(max(1, min(size, _TRAINED_ON) // _A_LIST))))
    if kind == "ivf_pq" and code:
        parts = max(part for part in range(1, max(1, dimension // _SUBVECTOR) + 1) if dimension % part == 0)
        return faiss.IndexIVFPQ(faiss.IndexFlatIP(dimension), dimension, lists, parts, code, metric)
    return faiss.IndexIVFScalarQuantizer(faiss.IndexFlatIP(dimension), dimension, lists, bits, metric)


def _faiss() -> Any:
    """Return the library; its stubs do not know all of it."""
    import faiss

    return faiss


def _candidates(index: Any, facts: Neighbours, queries: Vectors, count: int) -> Rows:
    """Return the rows that the index proposes, of shape (questions, some more than count); -1 where it has no more."""
    faiss = _faiss()
    wide = max(2 * count, count + 20, 4 * facts.effort if facts.kind == "ivf_pq" else 0)
    wide = min(wide, int(index.ntotal))
    if facts.kind == "hnsw":
        parameters = faiss.SearchParametersHNSW(efSearch=max(facts.effort, wide))
    else:
        parameters = faiss.SearchParametersIVF(nprobe=min(facts.effort, int(index.nlist)))
    return np.asarray(index.search(queries, wide, params=parameters)[1], np.int64)


def _measured(index: Any, kind: str, vectors: Vectors, questions: Vectors) -> Neighbours:
    """Look farther and farther until the recall is what is wanted."""
    count = min(DEPTH, len(vectors))
    exact = search_exactly(vectors, questions, count)[1]
    effort = 16
    while True:
        facts = Neighbours(kind, effort, 0.0, len(questions))
        share = recall(_search(index, facts, vectors, questions, count)[1], exact)
        if share >= WANTED or effort >= _MOST_EFFORT:
            return replace(facts, recall=round(share, 4))
        effort *= 2


def recall(found: Rows, wanted: Rows) -> float:
    """Return the share of the wanted rows, question by question, that were found; 1 where none are wanted."""
    if not wanted.size:
        return 1.0
    hits = sum(len(np.intersect1d(mine, theirs)) for mine, theirs in zip(found, wanted, strict=True))
    return hits / wanted.size
