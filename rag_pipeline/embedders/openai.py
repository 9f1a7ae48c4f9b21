"""Embeddings of OpenAI, or of any server that speaks its protocol."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag_pipeline.embedders.base import Offsets, Vectors, embedders
from rag_pipeline.embedders.openai_tokens import openai_token_offsets
from rag_pipeline.embedders.remote import RemoteEmbedder
from rag_pipeline.llm.clients import openai_client
from rag_pipeline.llm.preflight import check_model
from rag_pipeline.llm.target import OPENAI, Target
from rag_pipeline.runtime import ModelLimits


@embedders.register
class OpenAIEmbedder(RemoteEmbedder):
    """Asks `/v1/embeddings`; questions and passages are all the same to these models."""

    key = "openai"
    label = "OpenAI embeddings"
    help = "OpenAI's embedding models, or those of a compatible server at OPENAI_BASE_URL."
    characters_a_block = 1_000_000  # several requests at once

    def __init__(self, name: str, mode: str = "mean", limits: ModelLimits | None = None) -> None:
        super().__init__(name, mode, Target.create(OPENAI, name), limits)
        if not self._target.is_compatible_server and name.startswith("text-embedding-"):
            self.max_tokens = 8192

    @classmethod
    def check(cls, name: str) -> None:
        """Raise ConfigError for a missing key, or an address that is none."""
        check_model(f"{cls.key}:{name}", "embedding")

    @property
    def fingerprint(self) -> str:
        """Names the server too: another one may serve other weights under the same name."""
        place = f"@{self._target.base_url}" if self._target.is_compatible_server else ""
        return f"{self.key}:{self.name}{place}:{self.mode}"

    def token_offsets(self, text: str) -> Offsets:
        """Return the offsets of tiktoken's tokens. Raises ConfigError where its table is not on this machine."""
        return openai_token_offsets(self._target, text)

    async def _asked(self, texts: Sequence[str], *, questions: bool) -> list[Vectors]:
        client = await openai_client(self._target, self._limits)
        response = await client.embeddings.create(model=self.name, input=list(texts), encoding_format="float")
        ordered = sorted(response.data, key=lambda each: each.index)
        return [np.asarray(each.embedding, np.float32) for each in ordered]
