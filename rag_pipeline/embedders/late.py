"""Late chunking: a document is read in overlapping windows, and chunks are means of its tokens' vectors.

Günther et al. 2024, "Late Chunking: Contextual Chunk Embeddings Using Long-Context Embedding Models", section 3.2 for
documents longer than the model reads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Edges = npt.NDArray[np.int64]
"""Shape (n, 2): first and last (exclusive) of some places."""


@dataclass(frozen=True, slots=True)
class LateWindows:
    """Windows of `size` tokens over a text of `tokens` tokens, each beginning `size - overlap` after the last.

    A token's vector is that of one window, its home: each window is the home of its middle, so that every token was
    read with half an overlap on both sides at least, where the text has as much.
    """

    tokens: int
    size: int
    overlap: int

    def __len__(self) -> int:
        if self.tokens <= self.size:
            return min(1, self.tokens)
        return 1 + -(-(self.tokens - self.size) // self._step)

    @property
    def _step(self) -> int:
        return self.size - self.overlap

    def window(self, number: int) -> tuple[int, int]:
        """Return the tokens that are read together."""
        start = number * self._step
        return start, min(start + self.size, self.tokens)

    def home(self, number: int) -> tuple[int, int]:
        """Return the tokens whose vectors are taken from a window."""
        return self._edge(number), self._edge(number + 1)

    def _edge(self, number: int) -> int:
        if number == 0:
            return 0
        return self.tokens if number == len(self) else number * self._step + self.overlap // 2


def tokens_within(offsets: npt.NDArray[np.int32], spans: Edges) -> Edges:
    """Return for each span (start, end) the tokens that lie in it, whole or in part; one at least where there is any.

    `offsets`: start and end of each token, in order. A span between two tokens gets the one after it.
    """
    if not len(offsets):
        return np.zeros((len(spans), 2), np.int64)
    first = np.searchsorted(offsets[:, 1], spans[:, 0], side="right")
    last = np.searchsorted(offsets[:, 0], spans[:, 1], side="left")
    first = np.minimum(first, len(offsets) - 1)
    return np.column_stack([first, np.maximum(last, first + 1)]).astype(np.int64)
