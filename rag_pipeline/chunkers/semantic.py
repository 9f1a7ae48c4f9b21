"""Chunker `semantic`: cuts where the meaning of neighbouring sentences changes most."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from pydantic import Field

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.chunkers.packing import packed
from rag_pipeline.chunkers.rulers import Ruler, Slice, without_contained
from rag_pipeline.chunkers.sized import MeasuredChunker
from rag_pipeline.chunkers.sizes import ChunkSize
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.types import SourceDoc, Span

GROUP = 3
"""Sentences of a group: on each side of a possible break so many are compared."""
SMALLEST = 0.2
"""Chunks smaller than this share of the size are avoided."""

Distances = npt.NDArray[np.float64]
"""Shape (sentences - 1,): cosine distance of the groups before and after each gap between sentences, 0..2."""


class SemanticOptions(ChunkSize):
    """Size and percentile; chunks do not overlap."""

    semantic_percentile: float = Field(
        95.0,
        ge=0,
        le=100,
        title="Semantic percentile",
        description="Cuts where the distance of neighbouring sentence groups peaks at or above this percentile "
        "of all distances in the document. Lower means more cuts.",
    )


@chunkers.register
class SemanticChunker(MeasuredChunker):
    """Compares the three sentences before each gap with the three after it, and cuts at the peaks of their distance.

    What is still longer than the size is cut on at its greatest distance; what is smaller than a fifth of the size
    joins the nearer neighbour that has room.
    """

    key = "semantic"
    label = "Semantic"
    help = "Cuts where the topic changes. For long texts without headings; every sentence is embedded first."
    needs_embeddings = True

    Options = SemanticOptions
    options: SemanticOptions

    def split(self, doc: SourceDoc) -> list[Span]:
        """Return the chunks as spans. Raises ProviderError when the sentences cannot be embedded."""
        ruler = self.ruler(doc.text)
        sentences = [(each.start, each.end) for each in split_sentences(doc.text)]
        runs = self._bounded(ruler, sentences, self._distances(doc.text, sentences))
        size = self.options.chunk_size
        pieces = (piece for first, last in runs for piece in packed(ruler, sentences[first:last], size))
        return [Span(doc.id, *piece) for piece in without_contained(pieces)]

    def texts_to_embed(self, doc: SourceDoc) -> list[str]:
        """Return the groups of sentences on both sides of each gap."""
        sentences = [(each.start, each.end) for each in split_sentences(doc.text)]
        places = {place for pair in _groups(sentences) for place in pair}
        return [doc.text[start:end] for start, end in sorted(places)]

    def _distances(self, text: str, sentences: Sequence[Slice]) -> Distances:
        pairs = _groups(sentences)
        if not pairs:
            return np.zeros(0)
        if self.embed is None:
            raise ValueError("the semantic chunker needs an embedding function")
        places = sorted({place for pair in pairs for place in pair})
        row = {place: number for number, place in enumerate(places)}
        vectors = self.embed([text[start:end] for start, end in places])
        before, after = (vectors[[row[pair[side]] for pair in pairs]] for side in (0, 1))
        cosines: Distances = np.einsum("ij,ij->i", before, after, dtype=np.float64)
        return 1.0 - cosines

    def _bounded(self, ruler: Ruler, sentences: Sequence[Slice], distances: Distances) -> list[tuple[int, int]]:
        """Return the chunks as ranges of sentences, cut at the peaks and within the sizes where sentences allow it."""
        cuts = [0, *(int(gap) + 1 for gap in peaks(distances, self.options.semantic_percentile)), len(sentences)]
        bounds = _Bounds(ruler, sentences, distances, self.options.chunk_size)
        fine = [part for first, last in pairwise(cuts) for part in bounds.cut(first, last)]
        return bounds.joined(fine)


def peaks(distances: Distances, percentile: float) -> npt.NDArray[np.intp]:
    """Return the places of local maxima at or above the percentile; of equal neighbours the first one."""
    if not len(distances):
        return np.zeros(0, np.intp)
    before = np.concatenate(([-np.inf], distances[:-1]))
    after = np.concatenate((distances[1:], [-np.inf]))
    high = distances >= np.percentile(distances, percentile)
    return np.flatnonzero(high & (distances > before) & (distances >= after))


def _groups(sentences: Sequence[Slice]) -> list[tuple[Slice, Slice]]:
    """Return for each gap between sentences the group before and the group after it."""
    return [
        (
            (sentences[max(0, gap - GROUP)][0], sentences[gap - 1][1]),
            (sentences[gap][0], sentences[min(len(sentences), gap + GROUP) - 1][1]),
        )
        for gap in range(1, len(sentences))
    ]


class _Bounds:
    """Keeps ranges of sentences within sizes. `distances[i]` lies between sentence i and i + 1."""

    def __init__(self, ruler: Ruler, sentences: Sequence[Slice], distances: Distances, size: int) -> None:
        self.ruler, self.sentences, self.distances, self.size = ruler, sentences, distances, size
        self.least = int(size * SMALLEST)

    def length(self, first: int, last: int) -> int:
        return self.ruler.length(self.sentences[first][0], self.sentences[last - 1][1])

    def cut(self, first: int, last: int) -> list[tuple[int, int]]:
        """Cut sentences `first` to `last` at their greatest distance, and again, until each part fits."""
        parts, todo = [], [(first, last)]
        while todo:
            first, last = todo.pop()
            if last - first <= 1 or self.length(first, last) <= self.size:
                parts.append((first, last))
                continue
            gap = self._widest(first, last)
            todo += [(gap, last), (first, gap)]
        return parts

    def _widest(self, first: int, last: int) -> int:
        """Return the sentence before which the distance is greatest, of those that leave no small part."""
        low, high = first + 1, last - 1
        while low < high and self.length(first, low) < self.least:
            low += 1
        while high > low and self.length(high, last) < self.least:
            high -= 1
        return low + int(np.argmax(self.distances[low - 1 : high]))

    def joined(self, parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Join small parts with the nearer neighbour that leaves the whole within the size."""
        done: list[tuple[int, int]] = []
        for place, (first, last) in enumerate(parts):
            if done and self._small_beside(done[-1], (first, last)) and self._nearer(parts, place, done[-1]):
                first = done.pop()[0]
            done.append((first, last))
        return done

    def _small_beside(self, before: tuple[int, int], part: tuple[int, int]) -> bool:
        small = min(self.length(*before), self.length(*part)) < self.least
        return small and self.length(before[0], part[1]) <= self.size

    def _nearer(self, parts: list[tuple[int, int]], place: int, before: tuple[int, int]) -> bool:
        """False when the small part had better wait for the one after it."""
        first, last = parts[place]
        if place + 1 == len(parts) or self.length(*before) < self.least:
            return True
        fits_after = self.length(first, parts[place + 1][1]) <= self.size
        return not fits_after or self.distances[first - 1] <= self.distances[last - 1]
