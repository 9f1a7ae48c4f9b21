"""Settings: checked with the field's name and in plain words; fingerprints by stage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.errors import ConfigError
from rag_pipeline.settings.core import DEFAULT_REFUSAL
from rag_pipeline.settings.pipeline_spec import PipelineSpec

CHAT = {"llm": "openai:gpt-test"}


@pytest.mark.parametrize(
    ("chosen", "field", "words"),
    [
        ({"chunk_size": "abc"}, "chunk_size", "Chunk size must be a whole number, not “abc”."),
        ({"top_k": "0"}, "top_k", "Top k must be at least 1"),
        ({"top_k": 101}, "top_k", "at most 100"),
        ({"chunk_overlap": "1000"}, "chunk_overlap", "smaller than the chunk size"),
        ({"chunk_overlap": "100%"}, "chunk_overlap", "smaller than the chunk size"),
        ({"chunk_overlap": "-5"}, "chunk_overlap", "negative"),
        ({"chunk_overlap": "some"}, "chunk_overlap", "percentage"),
        ({"chunk_unit": "words"}, "chunk_unit", "characters or tokens"),
        ({"chunker": "odd"}, "chunker", "fixed, hierarchical"),
        ({"retriever": "odd"}, "retriever", "dense"),
        ({"embedding": "odd:name"}, "embedding", "local"),
        ({"embedding": "MiniLM"}, "embedding", "provider:name, such as local:all-MiniLM-L6-v2"),
        ({"llm": "gpt-4"}, "llm", "provider:name"),
        ({"prompt": "{question}"}, "prompt", "{context}"),
        ({"prompt": "{context}"}, "prompt", "{question}"),
        ({"refusal": ""}, "refusal", "cannot be empty"),
        ({"refusal": "  "}, "refusal", "cannot be empty"),
        ({"chunk_overlap": "nan%"}, "chunk_overlap", "a whole number or a percentage"),
        ({"separators": "[" * 9999}, "separators", "Separators are a JSON list"),
        ({"use_context": "false"}, "use_context", "built-in reader"),
        ({"use_context": "maybe"}, "use_context", "true or false"),
        ({"chunk_siz": 3}, "chunk_siz", "Did you mean chunk_size?"),
        ({"temperature": 1}, "temperature", "does not read it"),
        ({"prompt_without_context": "{question}"}, "prompt_without_context", "without context"),
        ({**CHAT, "use_context": False, "top_k": 3}, "top_k", "with context"),
        ({**CHAT, "use_context": False, "chunk_size": 300}, "chunk_size", "with context"),
        ({"query_transform": "odd"}, "query_transform", "Choose one of: none"),
        ({"reranker": "odd"}, "reranker", "Choose one of: none"),
        ({"consolidate": "odd"}, "consolidate", "Choose one of: none"),
        ({"context_budget": -1}, "context_budget", "at least 0"),
        ({**CHAT, "use_context": False, "reranker": "none"}, "reranker", "with context"),
        ({"chunker": "fixed", "separators": '["\\n"]'}, "separators", "chunker recursive"),
    ],
)
def test_a_wrong_setting_is_named_and_explained(chosen, field, words):
    with pytest.raises(ConfigError) as caught:
        PipelineSpec.create(chosen)
    assert caught.value.field == field
    assert words in str(caught.value)


def test_a_step_that_is_switched_off_changes_no_fingerprint():
    plain = PipelineSpec.create({})
    off = {"query_transform": "none", "reranker": "none", "consolidate": "none", "context_budget": 0}
    assert PipelineSpec.create(off).fingerprint == plain.fingerprint
    earlier = {name: value for name, value in plain.settings.items() if name not in off}
    assert PipelineSpec.create(earlier).fingerprint == plain.fingerprint
    assert PipelineSpec.create({"context_budget": 9}).fingerprint != plain.fingerprint


def test_the_defaults_are_those_of_the_interface():
    settings = PipelineSpec.create().settings
    assert settings["chunker"] == "recursive"
    assert settings["chunk_size"] == 1000
    assert settings["chunk_overlap"] == "15%"
    assert settings["top_k"] == 4
    assert settings["embedding"] == "local:all-MiniLM-L6-v2"
    assert settings["llm"] == "builtin:extractive"
    assert settings["refusal"] == DEFAULT_REFUSAL == "I am not aware of that topic"
    assert settings["prompt_name"] == "Concise"
    assert "temperature" not in settings  # the built-in reader does not read it


@given(
    size=st.integers(10, 5000), percent=st.integers(0, 99), top_k=st.integers(1, 100),
    unit=st.sampled_from(["characters", "tokens"]), chunker=st.sampled_from(["fixed", "recursive"]),
)  # fmt: skip
def test_settings_make_the_same_spec_again(size, percent, top_k, unit, chunker):
    given_settings = {
        "chunk_size": str(size), "chunk_overlap": f"{percent}%", "top_k": top_k, "chunk_unit": unit, "chunker": chunker
    }  # fmt: skip
    spec = PipelineSpec.create(given_settings)
    again = PipelineSpec.create(spec.settings)
    assert again == spec
    assert hash(again) == hash(spec)
    assert 0 <= spec.chunker_options.overlap < size


def test_a_later_stage_s_change_keeps_the_index():
    base = PipelineSpec.create()
    for settings in ({"top_k": 9}, {"prompt": "{context} {question}"}, {"refusal": "No idea"}, CHAT):
        changed = PipelineSpec.create(settings)
        assert changed.index_fingerprint == base.index_fingerprint
        assert changed.fingerprint != base.fingerprint
    for settings in ({"chunk_size": 400}, {"embed_mode": "head"}, {"chunk_overlap": 10}):
        assert PipelineSpec.create(settings).index_fingerprint != base.index_fingerprint


def test_the_name_of_a_prompt_changes_no_answer():
    named = PipelineSpec.create({"prompt_name": "Mine"})
    assert named.fingerprint == PipelineSpec.create().fingerprint
    assert named.settings["prompt_name"] == "Mine"


def test_a_form_may_send_what_is_not_read():
    sent = {"chunker": "fixed", "separators": '["\\n"]', "temperature": "1", "chunk_size": "300"}
    spec = PipelineSpec.create(sent, drop_unread=True)
    assert spec.settings["chunk_size"] == 300
    assert "separators" not in spec.settings
    with pytest.raises(ConfigError, match="no setting called"):
        PipelineSpec.create({"unknown": 1}, drop_unread=True)


def test_a_changed_prompt_loses_the_old_one_s_name():
    changed = PipelineSpec.create().changed(prompt="{context} {question}")
    assert changed.settings["prompt_name"].startswith("Custom")
    assert changed.changed(top_k=2).settings["prompt_name"] == changed.settings["prompt_name"]


@pytest.mark.parametrize(
    "given, message",
    [
        (
            {"retriever": "oracle", "chunk_size": 500},
            "chunk_size would change nothing: the oracle retrieves the gold evidence itself. Leave it out.",
        ),
        (
            {"chunker": "semantic", "parent_size": 500},
            "parent_size would change nothing: it is only read by chunker hierarchical. "
            "Choose what reads it, or leave parent_size out.",
        ),
        ({"retriever": "mmr", "mmr_lambda": 2}, "MMR lambda must be at most 1, not “2”."),
        ({"embed_mode": "tail"}, "Embed mode must be mean, head or late, not “tail”."),
        ({"index_kind": "tree"}, "Index kind must be auto, flat, hnsw, ivf or ivf_pq, not “tree”."),
        (
            {"embed_mode": "late", "embedding": "openai:text-embedding-3-small"},
            "openai:text-embedding-3-small gives no vectors of single tokens, from which late chunking makes those of "
            "chunks. Choose mean or head as embed mode, or a local model that averages its tokens, such as "
            "all-MiniLM-L6-v2.",
        ),
    ],
)
def test_a_refusal_says_what_can_be_done(given, message):
    with pytest.raises(ConfigError) as refused:
        PipelineSpec.create(given)
    assert str(refused.value) == message


def test_who_reads_a_setting_is_told_once_a_kind():
    with pytest.raises(ConfigError, match="only read by reranker cross_encoder, llm\\. "):
        PipelineSpec.create({"rerank_candidates": 30})
