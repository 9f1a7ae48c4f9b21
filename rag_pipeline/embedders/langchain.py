"""Embeddings of any provider of LangChain's `init_embeddings`: Bedrock, Cohere, Google, Mistral, Ollama and others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from rag_pipeline.embedders.base import LANGCHAIN, Offsets, Vectors, embedders
from rag_pipeline.embedders.remote import RemoteEmbedder
from rag_pipeline.errors import ConfigError
from rag_pipeline.llm.providers import embeddings_module_of, incomplete, missing_package
from rag_pipeline.llm.target import Target
from rag_pipeline.runtime import ModelLimits

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

# Its client would fetch a table of tokens from the network to cut long texts; the server refuses these, and they are
# halved here.
_UNCUT: dict[str, Any] = {"check_embedding_ctx_length": False, "max_retries": 0}
_OPENAI_S = frozenset({"openai", "azure_openai"})


@embedders.register
class LangChainEmbedder(RemoteEmbedder):
    """`name` is `provider:model`. Questions are embedded as questions, which some models do otherwise than passages."""

    key = LANGCHAIN
    label = "Embeddings of LangChain"
    help = "Any provider of LangChain's init_embeddings, such as bedrock, cohere or ollama."

    def __init__(self, name: str, mode: str = "mean", limits: ModelLimits | None = None) -> None:
        super().__init__(name, mode, _target(name), limits)

    @classmethod
    def check(cls, name: str) -> None:
        """Raise ConfigError for a package that is not installed."""
        target = _target(name)
        if find_spec(module := embeddings_module_of(target)) is None:
            raise ConfigError(str(missing_package(target, module)), "embedding")

    @property
    def fingerprint(self) -> str:
        """Names the provider in place of the unit."""
        return f"{self.name}:{self.mode}"

    def token_offsets(self, text: str) -> Offsets:
        """Raise ConfigError: the tokenizers of these models are not known here."""
        raise ConfigError(
            f"Tokens cannot be counted for {self.name}: its tokenizer is not on this machine. "
            "Choose chunk unit characters.",
            "chunk_unit",
        )

    async def _asked(self, texts: Sequence[str], *, questions: bool) -> list[Vectors]:
        model = await asyncio.to_thread(_model, self._target)
        # In threads: connections of asynchronous clients belong to one loop, and nothing would close them after it.
        if questions:
            found = await asyncio.gather(*(asyncio.to_thread(model.embed_query, text) for text in texts))
        else:
            found = await asyncio.to_thread(model.embed_documents, list(texts))
        return [np.asarray(each, np.float32) for each in found]


def _target(name: str) -> Target:
    provider, _, model = name.partition(":")
    return Target.create(provider, model)


@lru_cache(maxsize=64)
def _model(target: Target) -> Embeddings:
    """Return the provider's client, kept, since only its own library can close its connections.

    Raises ProviderError where its package or its key is missing.
    """
    from langchain.embeddings import init_embeddings

    more = _UNCUT if target.provider in _OPENAI_S else {}
    try:
        made = init_embeddings(target.name, provider=target.provider, **more)
    except ImportError as error:
        raise missing_package(target, embeddings_module_of(target), str(getattr(error, "name", "") or "")) from error
    except ValueError as error:
        raise incomplete(target, error) from error
    return made  # type: ignore[return-value]  # a Runnable only where several are configured
