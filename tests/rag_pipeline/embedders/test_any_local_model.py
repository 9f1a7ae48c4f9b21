"""Any sentence-transformers model by its folder: window, pooling and prompts are its own."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rag_pipeline.embedders.base import check_embedding
from rag_pipeline.embedders.bert_graph import can_build
from rag_pipeline.embedders.local import LocalEmbedder
from rag_pipeline.errors import ConfigError
from rag_pipeline.services.indexes import open_embedder
from tests.factories import ROSETTA
from tests.tiny_bert import HIDDEN, make_tiny_bert

LONG = ROSETTA * 2
SENTENCES = [sentence for sentence in ROSETTA.split(". ") if sentence.strip()]


def reference(folder: Path, texts: list[str], prompt: str = "") -> Any:
    """Return what sentence-transformers itself gives, at length 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(str(folder), local_files_only=True)
        return model.encode(texts, prompt=prompt or None, normalize_embeddings=True)


@pytest.mark.parametrize("old_format", [True, False])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_fast_graph_reads_models_of_old_and_new_versions_alike(tmp_path: Path, old_format: bool) -> None:
    folder = make_tiny_bert(tmp_path / "m", [ROSETTA], window=24, old_format=old_format)
    embedder = LocalEmbedder(str(folder), "head")
    assert can_build(folder)
    assert embedder.max_tokens == 24
    vectors = embedder.embed_passages([*SENTENCES, LONG])
    assert embedder._fast is not None
    assert vectors.shape == (len(SENTENCES) + 1, HIDDEN)
    assert np.sum(vectors * reference(folder, [*SENTENCES, LONG]), axis=1).min() > 0.999


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_other_poolings_go_through_sentence_transformers(tmp_path: Path) -> None:
    folder = make_tiny_bert(tmp_path / "m", [ROSETTA], pooling="cls")
    embedder = LocalEmbedder(str(folder), "head")
    assert not can_build(folder)
    vectors = embedder.embed_passages(SENTENCES)
    assert embedder._fast is None
    assert np.sum(vectors * reference(folder, SENTENCES), axis=1).min() > 0.999


def test_head_reads_to_the_window_and_mean_to_the_end(tmp_path: Path) -> None:
    folder = str(make_tiny_bert(tmp_path / "m", [ROSETTA], window=12))
    head, mean = LocalEmbedder(folder, "head"), LocalEmbedder(folder, "mean")
    same_start = [SENTENCES[0] + " " + SENTENCES[1], SENTENCES[0] + " " + SENTENCES[-1]]
    assert len(head.token_offsets(SENTENCES[0])) > 12
    np.testing.assert_allclose(*head.embed_passages(same_start), atol=1e-5)
    first, second = mean.embed_passages(same_start)
    assert first @ second < 0.999


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_models_own_prompts_stand_before_questions_and_passages(tmp_path: Path, pooling: str) -> None:
    prompts = {"query": "stone paris ", "document": "french greek "}
    folder = make_tiny_bert(tmp_path / "m", [ROSETTA], prompts=prompts, pooling=pooling)
    embedder = LocalEmbedder(str(folder), "head")
    text = ["The decree was issued in Memphis"]
    for given, role in ((embedder.embed_queries(text), "query"), (embedder.embed_passages(text), "document")):
        assert (given @ reference(folder, text, prompts[role]).T).item() > 0.999
        assert (given @ reference(folder, text).T).item() < 0.99


@pytest.mark.parametrize("mode", ["head", "mean"])
def test_prompt_and_text_together_fit_the_window(tmp_path: Path, mode: str) -> None:
    """A long prompt must not push the end of a window out of the model's sight."""
    prompts = {"document": "stone paris memphis decree "}
    folder = str(make_tiny_bert(tmp_path / "m", [ROSETTA], prompts=prompts, window=16))
    embedder = LocalEmbedder(folder, mode)
    words = ["greek"] * 10 + ["demotic"] * 2
    other = ["greek"] * 12
    first, second = embedder.embed_passages([" ".join(words), " ".join(other)])
    assert (first @ second < 0.9999) == (mode == "mean")


@pytest.mark.parametrize(
    ("embedding", "words"),
    [
        ("local:/nowhere/model", "no embedding model at /nowhere/model"),
        ("local:./nowhere", r"no embedding model at \./nowhere"),
        ("local:~/nowhere/at/all", "no embedding model at"),
        ("openai:text-embedding-3-small", "Set OPENAI_API_KEY"),
        ("tuned:insurance", "no tuned embedding called “insurance”. There is none yet"),
        ("tuned:../models", "no tuned embedding called"),
        ("kohere:embed", "no embedding provider called “kohere”"),
    ],
)
def test_what_cannot_work_is_refused_before_any_work(
    embedding: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ConfigError, match=words) as caught:
        check_embedding(embedding, "eval_embedding")
    assert caught.value.field == "eval_embedding"


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no sentence-transformers model"):
        check_embedding(f"local:{tmp_path}")


def test_names_of_the_hub_are_left_to_the_hub() -> None:
    check_embedding("local:BAAI/bge-small-en-v1.5")
    check_embedding("local:all-mpnet-base-v2")


def test_changed_weights_in_the_same_folder_are_noticed(tmp_path: Path) -> None:
    folder = make_tiny_bert(tmp_path / "m", [ROSETTA], seed=0)
    before = open_embedder(f"local:{folder}").embed_queries(["Greek"])
    shutil.rmtree(folder)
    make_tiny_bert(folder, [ROSETTA], seed=1)
    after = open_embedder(f"local:{folder}").embed_queries(["Greek"])
    assert not np.allclose(before, after)
