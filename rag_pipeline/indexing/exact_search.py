"""Exact search by inner product: all questions at once against rows that may lie on disk, a block at a time.

A matrix product in 32-bit floats finds the candidates, those within its rounding of the best. They are scored again in
64-bit floats, so that neither the company of other questions nor the place of a block moves a score or a rank.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rag_pipeline.embedders.base import Vectors

Rows = npt.NDArray[np.int64]

_BLOCK = 16_384
"""Rows a product; with the questions of a block the scores stay near the processor (16 MB)."""
_QUESTIONS = 256
_RESCORED = 256
"""Candidates scored again at once: their vectors in 64 bits stay near the processor (0.8 MB)."""
_SOME = 1_024
_MOST = 4_000_000
"""Candidates kept at once, about: fewer questions a block where many hits are asked for."""
_MARGIN = np.float32(3e-5)
"""More than a product of unit vectors in 32-bit floats can be off, for up to 500 dimensions; really 1e-6."""


def search_exactly(vectors: Vectors, queries: Vectors, count: int) -> tuple[Vectors, Rows]:
    """Return (scores, rows), each of shape (questions, min(count, n)), best first, ties by row."""
    count = min(count, len(vectors))
    shape = (len(queries), count)
    scores, rows = np.zeros(shape, np.float32), np.zeros(shape, np.int64)
    if not count:
        return scores, rows
    step = max(1, min(_QUESTIONS, _MOST // count))
    for start in range(0, len(queries), step):
        block = np.ascontiguousarray(queries[start : start + step], np.float32)
        scores[start : start + step], rows[start : start + step] = _ExactSearch(vectors, block, count).best()
    return scores, rows


def best_of(vectors: Vectors, queries: Vectors, asked: Rows, rows: Rows, count: int) -> tuple[Vectors, Rows]:
    """Return the `count` best of some candidates, exactly scored: (scores, rows) of shape (questions, count).

    Candidate i is row `rows[i]` for question `asked[i]`. Each question has `count` of them at least, none twice.
    """
    scores = _exact(vectors, queries, asked, rows)
    order = np.lexsort((rows, -scores, asked))
    first = np.searchsorted(asked[order], np.arange(len(queries)))
    taken = order[first[:, None] + np.arange(count)]
    return scores[taken], rows[taken]


def _exact(vectors: Vectors, queries: Vectors, asked: Rows, rows: Rows) -> Vectors:
    """Return the score of each candidate, summed in 64-bit floats, block by block."""
    found = np.empty(len(rows), np.float32)
    left, right = np.empty((2, _RESCORED, vectors.shape[1]), np.float64)  # once: fresh memory is slow
    for start in range(0, len(rows), _RESCORED):
        part = slice(start, start + _RESCORED)
        size = len(rows[part])
        left[:size], right[:size] = vectors[rows[part]], queries[asked[part]]
        found[part] = np.einsum("ij,ij->i", left[:size], right[:size])
    return found


class _ExactSearch:
    """One block of questions on its way through the rows. `least`: what a row must score to be a candidate."""

    def __init__(self, vectors: Vectors, queries: Vectors, count: int) -> None:
        self._vectors, self._queries, self._count = vectors, queries, count
        self._least = np.full(len(queries), -np.inf, np.float32)
        self._asked = self._rows = np.zeros(0, np.int64)
        self._scores = np.zeros(0, np.float32)
        self._room = 8 * count * len(queries)

    def best(self) -> tuple[Vectors, Rows]:
        """Return (scores, rows) of the best."""
        turned = np.ascontiguousarray(self._queries.T)
        for start in range(0, len(self._vectors), _BLOCK):
            scores = self._vectors[start : start + _BLOCK] @ turned
            if start == 0 and len(scores) > self._count:  # a first idea of it from some of the rows
                some = scores[: max(_SOME, self._count)]
                self._least = np.partition(some, -self._count, axis=0)[-self._count] - _MARGIN
            self._take(scores, start)
            if len(self._rows) > self._room:
                self._sift()
        return best_of(self._vectors, self._queries, self._asked, self._rows, self._count)

    def _take(self, scores: Vectors, start: int) -> None:
        """Add the rows of a product (rows, questions) that may be among the best."""
        places = np.flatnonzero(scores >= self._least)
        if len(places):
            rows, asked = np.divmod(places, len(self._queries))
            self._rows = np.concatenate([self._rows, rows + start])
            self._asked = np.concatenate([self._asked, asked])
            self._scores = np.concatenate([self._scores, scores.ravel()[places]])

    def _sift(self) -> None:
        """Leave out what can no longer be among the best, and raise what a row must score."""
        order = np.lexsort((-self._scores, self._asked))
        first = np.searchsorted(self._asked[order], np.arange(len(self._queries)))
        self._least = np.maximum(self._least, self._scores[order[first + self._count - 1]] - _MARGIN)
        self._keep(self._scores >= self._least[self._asked])
        if len(self._rows) > self._room // 2:  # very many equals: their exact scores and places decide
            rows = best_of(self._vectors, self._queries, self._asked, self._rows, self._count)[1]
            wanted = np.arange(len(self._queries))[:, None] * len(self._vectors) + rows
            self._keep(np.isin(self._asked * len(self._vectors) + self._rows, wanted))

    def _keep(self, kept: npt.NDArray[np.bool_]) -> None:
        self._asked, self._rows, self._scores = self._asked[kept], self._rows[kept], self._scores[kept]
