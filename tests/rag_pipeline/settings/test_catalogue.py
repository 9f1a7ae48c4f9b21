"""All settings of a pipeline, and which of them are read."""

from __future__ import annotations

import pytest

from rag_pipeline.setting_fields import Stage
from rag_pipeline.settings.catalogue import describe, pipeline_settings, settings_of, unread_names
from rag_pipeline.settings.parts import PARTS
from rag_pipeline.settings.pipeline_spec import PipelineSpec


def test_options_stand_behind_the_choice_of_their_unit():
    names = list(pipeline_settings())
    assert names[:3] == ["chunker", "chunk_unit", "chunk_size"]
    assert names.index("retriever") < names.index("hybrid_weight") < names.index("reranker")


def test_an_option_belongs_to_the_stage_of_its_unit():
    assert describe("chunk_size").stage == Stage.INDEX
    assert describe("rerank_candidates").stage == Stage.RETRIEVAL
    assert "chunk_size" not in settings_of(Stage.RETRIEVAL)


def test_every_setting_is_explained_and_has_a_stage():
    assert [name for name, each in pipeline_settings().items() if not each.help or each.stage is None] == []


def test_the_parts_are_the_settings_that_choose_a_unit():
    assert [part.field for part in PARTS] == [name for name, each in pipeline_settings().items() if each.info.units]


def test_a_setting_says_its_unit_limits_and_choices():
    top_k = describe("top_k")
    assert (top_k.title, top_k.default, top_k.info.unit) == ("Top k", 4, "chunks")
    assert (top_k.type, top_k.limit("ge"), top_k.limit("le"), top_k.choices) == (int, 1, 100, None)
    assert describe("embed_mode").choices == {"mean": "Mean", "head": "Head", "late": "Late"}
    assert describe("chunk_size").info.unit_from == "chunk_unit"


@pytest.mark.parametrize(
    ("changes", "name", "reason"),
    [
        ({}, "temperature", "builtin:extractive does not read it"),
        ({"llm": "openai:a"}, "strictness", "it is only read by builtin:extractive"),
        ({}, "prompt_without_context", "it is only read without context"),
        ({"use_context": False}, "mmr_lambda", "it is only read with context"),
        ({"use_context": False}, "reranker", "it is only read with context"),
        ({"retriever": "oracle"}, "embedding", "the oracle retrieves the gold evidence itself"),
        ({"retriever": "oracle"}, "mmr_lambda", "the oracle retrieves the gold evidence itself"),
        ({"retriever": "bm25"}, "embed_mode", "BM25 embeds nothing"),
        ({}, "mmr_lambda", "it is only read by retriever mmr"),
    ],
)
def test_why_a_setting_is_not_read(changes, name, reason):
    assert unread_names(PipelineSpec.create().settings | changes)[name] == reason


@pytest.mark.parametrize("changes", [{"chunker": "semantic"}, {"chunk_unit": "tokens"}, {"context_budget": "9"}])
def test_an_embedding_is_read_by_who_cuts_and_counts_too(changes):
    values = PipelineSpec.create().settings | {"retriever": "bm25"}
    assert "embedding" in unread_names(values)
    assert "embedding" not in unread_names(values | changes)
