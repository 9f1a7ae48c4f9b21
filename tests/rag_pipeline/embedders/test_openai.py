"""OpenAI-compatible embeddings, over real HTTP to the fake server."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rag_pipeline.embedders.openai import OpenAIEmbedder
from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.runtime import ModelLimits
from tests.fake_openai import Behaviour, FakeOpenAI
from tests.fake_openai.replies import word_vector

QUICK = ModelLimits(timeout_s=120, max_retries=2, first_wait_s=0.01, longest_wait_s=0.5)
TEXTS = ["The lighthouse stands at Cape Wrath.", "Turin makes vermouth.", "The lighthouse was built in 1828."]
PATH = "/v1/embeddings"


def embedder(mode: str = "mean", name: str = "text-embedding-3-small") -> OpenAIEmbedder:
    return OpenAIEmbedder(name, mode, QUICK)


def answer(vectors: list[list[float]]) -> Behaviour:
    data = [{"object": "embedding", "index": place, "embedding": vector} for place, vector in enumerate(vectors)]
    return Behaviour.garbage(json.dumps({"object": "list", "data": data, "model": "m"}).encode(), "application/json")


def test_vectors_have_length_one_and_the_order_of_the_texts(fake_openai: FakeOpenAI) -> None:
    vectors = embedder().embed_passages(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, 64)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(vectors, [word_vector(text, 64) for text in TEXTS], atol=1e-6)
    assert vectors[0] @ vectors[2] > vectors[0] @ vectors[1]


def test_sends_few_large_requests(fake_openai: FakeOpenAI) -> None:
    texts = [f"text number {number}" for number in range(300)]
    vectors = embedder().embed_passages(texts)
    assert sorted(len(body["input"]) for body in fake_openai.bodies(PATH)) == [44, 128, 128]
    np.testing.assert_allclose(vectors[299], word_vector(texts[299], 64), atol=1e-6)


def test_a_request_is_bounded_in_characters(fake_openai: FakeOpenAI) -> None:
    embedder().embed_passages(["word " * 30_000] * 3)
    assert [len(body["input"]) for body in fake_openai.bodies(PATH)] == [1, 1, 1]


def test_nothing_to_embed_asks_nothing(fake_openai: FakeOpenAI) -> None:
    assert len(embedder().embed_passages([])) == 0
    assert fake_openai.requests == []


def test_a_blank_text_is_sent_as_one_that_is_accepted(fake_openai: FakeOpenAI) -> None:
    assert len(embedder().embed_queries(["", "lighthouse"])) == 2
    assert fake_openai.bodies(PATH)[0]["input"] == [" ", "lighthouse"]


def test_a_text_too_long_becomes_the_weighted_mean_of_its_halves(fake_openai: FakeOpenAI) -> None:
    fake_openai.longest_input = 40
    long = "lighthouse keepers lived here until vermouth arrived"
    vectors = embedder("mean").embed_passages([TEXTS[1], long])
    first, second = "lighthouse keepers lived", " here until vermouth arrived"
    mean = len(first) * word_vector(first, 64) + len(second) * word_vector(second, 64)
    np.testing.assert_allclose(vectors[1], mean / np.linalg.norm(mean), atol=1e-6)
    np.testing.assert_allclose(vectors[0], word_vector(TEXTS[1], 64), atol=1e-6)


def test_head_keeps_the_beginning_of_a_text_too_long(fake_openai: FakeOpenAI) -> None:
    fake_openai.longest_input = 40
    vectors = embedder("head").embed_passages(["lighthouse keepers lived here until vermouth arrived"])
    np.testing.assert_allclose(vectors[0], word_vector("lighthouse keepers lived", 64), atol=1e-6)


def test_a_passing_trouble_is_tried_again(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.rate_limited("0.05"), Behaviour.server_error())
    assert len(embedder().embed_passages(TEXTS)) == 3
    assert len(fake_openai.requests) == 3


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (answer([[1.0, 0.0]] * 2), "2 vectors for 3 texts"),
        (answer([[1.0, 0.0], [1.0], [0.0, 1.0]]), "vectors of different lengths"),
        (answer([[0.0, 0.0]] * 3), "vectors without a usable value"),
        (answer([[float("nan"), 1.0]] * 3), "vectors without a usable value"),
        (Behaviour.garbage(), "cannot be read"),
        (Behaviour.garbage(b'{"object": "list"}', "application/json"), "cannot be read"),
    ],
)
def test_an_answer_that_is_no_embedding_is_explained(fake_openai: FakeOpenAI, trouble: Behaviour, words: str) -> None:
    fake_openai.always = trouble
    with pytest.raises(ProviderError) as caught:
        embedder().embed_passages(TEXTS)
    assert words in str(caught.value)


def test_a_silent_server_is_given_up(fake_openai: FakeOpenAI) -> None:
    fake_openai.always = Behaviour.hang()
    limits = ModelLimits(timeout_s=0.2, max_retries=1, first_wait_s=0.01)
    with pytest.raises(ProviderError, match=r"\(Tried 2 times\.\)"):
        OpenAIEmbedder("m", limits=limits).embed_passages(TEXTS)


def test_a_rejected_key_is_permanent_and_asked_once(fake_openai: FakeOpenAI) -> None:
    fake_openai.key = "another"
    with pytest.raises(ProviderError, match="rejected the key") as caught:
        embedder().embed_passages(TEXTS)
    assert caught.value.permanent
    assert len(fake_openai.requests) == 1


def test_vectors_of_another_server_are_never_taken_for_the_same(
    fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = embedder().fingerprint
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert embedder().fingerprint == "openai:text-embedding-3-small:mean"
    assert local != embedder().fingerprint


@pytest.mark.parametrize("name", ["text-embedding-3-small", "nomic-embed-text"])
def test_tokens_are_counted_only_with_the_table_at_hand(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(ConfigError, match="Choose chunk unit characters") as caught:
        embedder(name=name).token_offsets("Turin makes vermouth.")
    assert caught.value.field == "chunk_unit"
