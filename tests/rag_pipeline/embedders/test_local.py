"""The shipped model: the fast graph equals sentence-transformers; long texts are not cut in mode `mean`."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.embedders.bert_graph import can_build
from rag_pipeline.embedders.local import LocalEmbedder, shipped_weights, weighted_means
from rag_pipeline.embedders.token_tables import tokenizer_of
from rag_pipeline.errors import ConfigError
from rag_pipeline.indexing.embedding_cache import CachedEmbedder
from rag_pipeline.local_models.scripts import mostly_known, spelled_in_ascii, spells_ascii
from tests.factories import ROSETTA

TEXTS = [
    "What is the capital of Poland?",
    ROSETTA,
    "été 北京 🙂",
    "x",
    ROSETTA * 6,
    *(sentence for sentence in ROSETTA.split(". ") if sentence.strip()),
]


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder("all-MiniLM-L6-v2", "head")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("What is the capital of Poland?", True),
        ("Done 🎉", True),
        ("القاهرة كبيرة", True),  # letter by letter
        ("Москва большая", True),
        ("🎉👍", False),
        ("กรุงเทพมหานคร", False),
        ("አዲስ አበባ ትልቅ ናት", False),
        ("我喜欢吃鱼", False),  # the vocabulary has the first of the five
        ("\u200b", False),
    ],
)
def test_it_tells_which_texts_are_in_its_vocabulary(embedder, text, read):
    assert CachedEmbedder(embedder, Path("unused")).reads(text) is read


@given(text=st.lists(st.sampled_from([*map(chr, range(128)), *"aé 北", "[UNK]", "x" * 99]), max_size=60).map("".join))
def test_what_is_spelled_in_ascii_has_no_token_that_is_unknown(embedder, text):
    encoding = embedder._tokenizer.encode(text, add_special_tokens=False)
    unknown = embedder._tokenizer.token_to_id("[UNK]")
    assert spells_ascii(embedder._tokenizer)
    assert embedder.reads(text) is mostly_known(text, encoding.ids, encoding.offsets, unknown)
    if spelled_in_ascii(text):
        assert encoding.ids
        assert unknown not in encoding.ids


def test_the_weights_are_the_official_ones():
    folder = shipped_weights()
    assert folder is not None
    assert can_build(folder)


def test_all_who_use_a_tokenizer_share_it(embedder, tmp_path):
    other = LocalEmbedder("all-MiniLM-L6-v2", "mean")
    assert other._tokenizer is embedder._tokenizer
    copy = tmp_path / "tokenizer.json"
    copy.write_bytes((Path(embedder.path) / "tokenizer.json").read_bytes())
    first = tokenizer_of(copy)
    os.utime(copy, (0, 0))
    assert tokenizer_of(copy) is not first  # another file by now


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_fast_graph_gives_the_vectors_of_sentence_transformers(embedder):
    from sentence_transformers import SentenceTransformer

    reference = SentenceTransformer(embedder.path).encode(TEXTS, normalize_embeddings=True)
    fast = embedder.embed_passages(TEXTS)
    assert embedder._fast is not None
    assert np.sum(reference * fast, axis=1).min() > 0.999
    np.testing.assert_allclose(np.linalg.norm(fast, axis=1), 1, atol=1e-5)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_way_through_sentence_transformers_gives_the_same(embedder):
    slow = LocalEmbedder("all-MiniLM-L6-v2", "head")
    slow.__dict__["_fast"] = None  # as on a machine without OpenVINO
    assert np.sum(slow.embed_passages(TEXTS) * embedder.embed_passages(TEXTS), axis=1).min() > 0.999
    np.testing.assert_allclose(np.linalg.norm(slow.embed_passages(TEXTS), axis=1), 1, atol=1e-5)


def test_a_batch_changes_no_vector(embedder):
    together = embedder.embed_passages(TEXTS)
    alone = np.concatenate([embedder.embed_passages([text]) for text in TEXTS])
    assert np.sum(together * alone, axis=1).min() > 0.999


def test_head_reads_only_the_window_and_mean_reads_everything(embedder):
    whole = LocalEmbedder("all-MiniLM-L6-v2", "mean")
    long = ROSETTA * 4
    other = long[: len(long) // 2] + " Bread is baked from dough of flour and water." * 40
    head = embedder.embed_passages([long, other])
    mean = whole.embed_passages([long, other])
    assert head[0] @ head[1] > 0.999
    assert mean[0] @ mean[1] < 0.95
    short = whole.embed_passages(["Short."])
    assert (short @ embedder.embed_passages(["Short."]).T).item() > 0.9999


def test_weighted_means_by_hand():
    vectors = np.array([[1, 0], [0, 1], [0, 1]], np.float32)
    means = weighted_means(vectors, owners=[0, 0, 1], weights=[3, 4, 5], count=2)
    np.testing.assert_allclose(means, [[0.6, 0.8], [0, 1]], atol=1e-6)


def test_token_offsets_are_slices_of_the_text(embedder):
    text = "Warsaw's  population:\n1,740,000"
    assert [text[start:end] for start, end in embedder.token_offsets(text)][:3] == ["Warsaw", "'", "s"]


def test_an_unknown_model_is_explained(tmp_path):
    with pytest.raises(ConfigError, match="no embedding model at"):
        LocalEmbedder(str(tmp_path / "absent")).embed_queries(["x"])


def test_the_cache_embeds_each_text_once(tmp_path, embedder):
    cached = CachedEmbedder(embedder, tmp_path)
    texts = ["one", "two", "one", "three"]
    assert cached.unseen(texts) == ["one", "two", "three"]
    first = cached.embed_passages(texts)
    assert cached.unseen(texts) == []
    np.testing.assert_array_equal(first[0], first[2])
    np.testing.assert_array_equal(cached.embed_passages(texts), first)
    [file] = tmp_path.glob("*.sqlite3")
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM vectors").fetchone() == (3,)
