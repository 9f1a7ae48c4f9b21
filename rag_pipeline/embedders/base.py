"""Embedders: texts to unit-length vectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rag_pipeline.registry import Registry, Unit

Vectors = npt.NDArray[np.float32]
"""Shape (n, dimension), float32, each row of length 1."""


class Embedder(Unit):
    """Turns texts into vectors. `name` is the model behind the provider prefix; `mode` is `embed_mode`.

    `fingerprint` names model, weights and mode: vectors with the same fingerprint and text are interchangeable.
    """

    name: str
    mode: str
    max_tokens: int | None = None
    """Longest text in tokens that the model reads at once, special tokens included; None where unknown."""

    def __init__(self, name: str, mode: str = "mean") -> None:
        super().__init__()
        self.name = name
        self.mode = mode

    @property
    def fingerprint(self) -> str:
        """Names everything that the vectors depend on, except the text."""
        return f"{self.key}:{self.name}:{self.mode}"

    @abstractmethod
    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts that are searched. Raises ProviderError."""

    @abstractmethod
    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions. Raises ProviderError."""

    @abstractmethod
    def token_offsets(self, text: str) -> Sequence[tuple[int, int]]:
        """Return character offsets of each token of `text` by the model's own tokenizer, special ones left out.

        Raises ConfigError where the model's tokenizer is not known here.
        """

    def token_count(self, text: str) -> int:
        """Return the number of tokens of `text`, special tokens not counted."""
        return len(self.token_offsets(text))


embedders: Registry[Embedder] = Registry("embedding", "rag_pipeline.embedders")
