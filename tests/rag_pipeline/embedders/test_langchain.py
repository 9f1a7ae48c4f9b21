"""Embeddings of any provider by LangChain's `init_embeddings`, over real HTTP to the fake server."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from rag_pipeline.embedders.base import check_embedding, embedder_named
from rag_pipeline.embedders.langchain import LangChainEmbedder
from rag_pipeline.errors import ConfigError, ProviderError, UsageError
from rag_pipeline.runtime import ModelLimits
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.fake_openai import Behaviour, FakeOpenAI
from tests.fake_openai.replies import word_vector

QUICK = ModelLimits(timeout_s=120, max_retries=2, first_wait_s=0.01, longest_wait_s=0.5)
TEXTS = ["The lighthouse stands at Cape Wrath.", "Turin makes vermouth.", "The lighthouse was built in 1828."]
PATH = "/v1/embeddings"


_numbers = count()


def embedder(name: str = "", mode: str = "mean") -> LangChainEmbedder:
    """Return one with a client of its own: a client is kept, with the key of its day, by the name of the model."""
    return LangChainEmbedder(name or f"openai:titan-embed-{next(_numbers)}", mode, QUICK)


def test_passages_and_questions_have_length_one_and_their_order(fake_openai: FakeOpenAI) -> None:
    own = embedder()
    vectors, questions = own.embed_passages(TEXTS), own.embed_queries(TEXTS)
    np.testing.assert_allclose(vectors, [word_vector(text, 64) for text in TEXTS], atol=1e-6)
    np.testing.assert_allclose(questions, vectors, atol=1e-6)
    assert {body["model"] for body in fake_openai.bodies(PATH)} == {own.name.removeprefix("openai:")}
    assert len(fake_openai.requests) == 1 + len(TEXTS)  # a question is a call of its own: models may read it otherwise


def test_many_texts_go_in_batches_and_nothing_asks_nothing(fake_openai: FakeOpenAI) -> None:
    assert len(embedder().embed_passages([])) == 0
    assert fake_openai.requests == []
    texts = [f"text number {number}" for number in range(200)]
    vectors = embedder().embed_passages(texts)
    np.testing.assert_allclose(vectors[199], word_vector(texts[199], 64), atol=1e-6)
    assert len(fake_openai.requests) == 2


def test_a_text_too_long_and_a_passing_trouble_are_dealt_with(fake_openai: FakeOpenAI) -> None:
    fake_openai.longest_input = 40
    fake_openai.next(Behaviour.server_error())
    head = embedder(mode="head").embed_passages(["lighthouse keepers lived here until vermouth arrived"])
    np.testing.assert_allclose(head[0], word_vector("lighthouse keepers lived", 64), atol=1e-6)


def test_a_rejected_key_is_said_with_the_provider(fake_openai: FakeOpenAI) -> None:
    fake_openai.key = "another"
    with pytest.raises(ProviderError, match="rejected the key"):
        embedder().embed_passages(TEXTS)


@pytest.mark.parametrize(
    ("embedding", "unit", "name"),
    [
        ("local:all-MiniLM-L6-v2", "local", "all-MiniLM-L6-v2"),
        ("openai:text-embedding-3-small", "openai", "text-embedding-3-small"),
        ("cohere:embed-v4.0", "langchain", "cohere:embed-v4.0"),
        ("bedrock:amazon.titan-embed-text-v2:0", "langchain", "bedrock:amazon.titan-embed-text-v2:0"),
    ],
)
def test_a_provider_without_a_unit_of_its_own_is_one_of_langchain(embedding: str, unit: str, name: str) -> None:
    found, model = embedder_named(embedding)
    assert (found.key, model) == (unit, name)
    assert PipelineSpec.create({"embedding": embedding}).core.embedding == embedding


def test_what_is_missing_is_named() -> None:
    with pytest.raises(
        ConfigError, match=r"need the package langchain-cohere\. Install it with “pip install langchain-co"
    ):
        check_embedding("cohere:embed-v4.0")
    with pytest.raises(
        UsageError, match=r"no embedding provider called “kohere”.*azure_openai, bedrock, cohere"
    ) as caught:
        PipelineSpec.create({"embedding": "kohere:embed"})
    assert caught.value.field == "embedding"
    with pytest.raises(ConfigError, match="Choose chunk unit characters"):
        embedder("cohere:embed-v4.0").token_offsets("Turin makes vermouth.")


def test_vectors_of_two_providers_are_never_taken_for_the_same() -> None:
    assert embedder("cohere:embed").fingerprint == "cohere:embed:mean"
    assert embedder("ollama:embed").fingerprint != embedder("cohere:embed").fingerprint
