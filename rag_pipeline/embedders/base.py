"""Embedders: texts to unit-length vectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rag_pipeline.embedders.late import LateWindows
from rag_pipeline.errors import ConfigError, UsageError
from rag_pipeline.llm.providers import UnknownProviderError, embeddings_module_of
from rag_pipeline.llm.target import Target
from rag_pipeline.registry import Registry, Unit

Vectors = npt.NDArray[np.float32]
"""Shape (n, dimension), float32, each row of length 1."""

Offsets = npt.NDArray[np.int32]
"""Shape (n, 2): start and end of each token in characters, in order, special tokens left out."""

Embed = Callable[[Sequence[str]], Vectors]
"""Texts to their vectors, one row each. Raises ProviderError."""


class Embedder(Unit):
    """Turns texts into vectors. `name` is the model behind the provider prefix; `mode` is `embed_mode`.

    `fingerprint` names model, weights and mode: vectors with the same fingerprint and text are interchangeable.
    """

    name: str
    mode: str
    gives_tokens: ClassVar[bool] = False
    """True where `embed_mode=late` can work: the model gives the vectors of single tokens."""
    max_tokens: int | None = None
    """Longest text in tokens that the model reads at once, special tokens included; None where unknown."""

    characters_a_block: ClassVar[int] = 40_000
    """So much text is embedded between two reports: about a second of a small model on two cores."""

    def __init__(self, name: str, mode: str = "mean") -> None:
        super().__init__()
        self.name = name
        self.mode = mode

    @classmethod
    def check(cls, name: str) -> None:
        """Raise ConfigError, with the mend, where the model cannot be used. Loads and asks nothing."""
        cls.state(name)

    @classmethod
    def state(cls, name: str) -> str:
        """Return a mark that changes when the weights behind `name` do; empty where they never do.

        Raises ConfigError where `name` is known to lead nowhere.
        """
        return ""

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
    def token_offsets(self, text: str) -> Offsets:
        """Return character offsets of each token of `text` by the model's own tokenizer, special ones left out.

        Raises ConfigError where the model's tokenizer is not known here.
        """

    def reads(self, text: str) -> bool:
        """Tell whether the model's vocabulary has most of `text`; True where that is not known here."""
        return True

    def late_windows(self, text: str) -> LateWindows:
        """Return the windows that `embed_mode=late` reads a document in. Raises ConfigError where there are none."""
        raise ConfigError(no_late(f"{self.key}:{self.name}"), "embed_mode")

    def token_vectors(self, text: str, windows: range) -> Vectors:
        """Return the vectors of the tokens at home in some windows, of any length. Raises ConfigError."""
        raise ConfigError(no_late(f"{self.key}:{self.name}"), "embed_mode")

    def token_count(self, text: str) -> int:
        """Return the number of tokens of `text`, special tokens not counted."""
        return len(self.token_offsets(text))


embedders: Registry[Embedder] = Registry("embedding", "rag_pipeline.embedders")


def no_late(embedding: str) -> str:
    """Say that a model cannot be used with `embed_mode=late`, and what can."""
    return (
        f"{embedding} gives no vectors of single tokens, from which late chunking makes those of chunks. "
        "Choose mean or head as embed mode, or a local model that averages its tokens, such as all-MiniLM-L6-v2."
    )


LANGCHAIN = "langchain"
"""The unit behind all providers that have none of their own; its models are named `provider:model`."""


def embedder_named(embedding: str, field: str = "embedding") -> tuple[type[Embedder], str]:
    """Return the unit of a setting such as `local:NAME`, and the name of the model for it.

    Raises UsageError, naming `field`, for an unknown provider.
    """
    provider, _, name = embedding.partition(":")
    unit = embedders.find(provider)
    if unit is not None and provider != LANGCHAIN:
        return unit, name
    try:
        embeddings_module_of(Target.create(provider, name))
    except UnknownProviderError as error:
        raise UsageError(str(error), field) from error
    return embedders.get(LANGCHAIN), embedding if name else ""


def check_embedding(embedding: str, field: str = "embedding") -> None:
    """Raise ConfigError, naming `field`, for an embedding that is known not to work, before anything is loaded."""
    try:
        unit, name = embedder_named(embedding, field)
        if not name:
            raise UsageError(f"“{embedding}” is not of the form provider:name, such as local:all-MiniLM-L6-v2.", field)
        absent = unit.missing()
        if absent:
            raise ConfigError(absent, field)
        unit.check(name)
    except ConfigError as error:
        raise type(error)(str(error), field) from error
