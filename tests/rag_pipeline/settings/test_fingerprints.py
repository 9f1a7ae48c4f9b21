"""Fingerprints: stored runs and indexes are found by them, and each stage has one of its own."""

from __future__ import annotations

import pytest

from rag_pipeline.setting_fields import Stage
from rag_pipeline.settings.catalogue import pipeline_settings
from rag_pipeline.settings.pipeline_spec import PipelineSpec

MODEL = {"llm": "openai:gpt-4.1-mini"}
STORED = [
    ({}, "cb9f431ecb1d7a278ff63b19e4a30e40", "7698546eb7e6e7a14a6d7a351e928961"),
    (
        {"chunker": "semantic", "semantic_percentile": 90, "retriever": "hybrid", "hybrid_weight": 0.7},
        "ced0bbba9155a617511cab5d7920567c",
        "21ed6f96ba97de693f4eb1b3b20e48a8",
    ),
    (
        {"retriever": "bm25", "chunker": "markdown", "top_k": 7},
        "445bd9a41e19d89878e0a0fc6ce87394",
        "9e1dae37362219b0ce9713aa8b96ddff",
    ),
    (
        {"retriever": "bm25", "chunk_unit": "tokens", "chunk_size": 100, "chunk_overlap": "10%"},
        "f5ab6f8a4b0ab809654f09a2bfaa7e3d",
        "5d68d683695285b4fe90619422afa454",
    ),
    ({"retriever": "oracle"}, "93259305dac4582265251897f6b3d451", "6b18f46f9283d7c9d26436199c5597bb"),
    (
        MODEL | {"query_transform": "multi_query", "query_count": 2, "reranker": "llm", "temperature": 0.5},
        "85aa3fd34df1cd6d525a950a20f74ee1",
        "7698546eb7e6e7a14a6d7a351e928961",
    ),
    (
        {"reranker": "cross_encoder:mine", "rerank_candidates": 50, "consolidate": "extract", "context_budget": 500},
        "fd37ec83f7022104321bb54bff28bd8d",
        "7698546eb7e6e7a14a6d7a351e928961",
    ),
    (
        MODEL | {"use_context": False, "prompt_without_context": "Say: {question}"},
        "d8b1c6be2ae1035b137e0ed1369603c0",
        "6b18f46f9283d7c9d26436199c5597bb",
    ),
    (
        {
            "chunker": "hierarchical",
            "chunk_size": 400,
            "parent_size": 1500,
            "embed_mode": "head",
            "strictness": 0.1,
            "refusal": "I cannot say.",
        },
        "30a5432c3676e340d5c96f9fc8bee9e5",
        "e6e91b79ce0c942ee259641f586c663f",
    ),
    (
        {"prompt": "Read {context}. {question}", "prompt_name": "Mine", "separators": ["\n\n", " "]},
        "18d1c516654489a45445ec675d171556",
        "540e6318e6ac881be67a23224087766b",
    ),
]
"""Settings with the fingerprints under which data folders hold their runs and indexes: they must never change."""


@pytest.mark.parametrize(("chosen", "of_run", "of_index"), STORED)
def test_what_is_stored_is_found_again(chosen, of_run, of_index):
    # Whatever was stored names its separators, which were the published ones unless given.
    cuts = "chunker" not in chosen and chosen.get("retriever") != "oracle" and chosen.get("use_context", True)
    spec = PipelineSpec.create(({"separators": "published"} if cuts else {}) | chosen)
    assert (spec.fingerprint, spec.index_fingerprint) == (of_run, of_index)


def first_changed(base: dict, change: dict) -> Stage | None:
    """Return the first stage whose fingerprint a change of settings changes; those behind it must change too."""
    before, after = PipelineSpec.create(base), PipelineSpec.create(base | change)
    stages = [stage for stage in Stage if stage < Stage.EVALUATION]
    changed = [stage for stage in stages if before.stage_fingerprint(stage) != after.stage_fingerprint(stage)]
    assert changed == stages[len(stages) - len(changed) :]
    return changed[0] if changed else None


@pytest.mark.parametrize(
    ("base", "change", "stage"),
    [
        ({}, {"chunk_size": 300}, Stage.INDEX),
        ({}, {"chunker": "fixed"}, Stage.INDEX),
        ({}, {"embedding": "openai:small"}, Stage.INDEX),
        ({}, {"top_k": 9}, Stage.RETRIEVAL),
        ({}, {"retriever": "mmr"}, Stage.RETRIEVAL),
        ({"retriever": "mmr"}, {"mmr_lambda": 0.9}, Stage.RETRIEVAL),
        ({}, {"consolidate": "extract"}, Stage.RETRIEVAL),
        ({}, {"prompt": "{context} {question}"}, Stage.PROMPT),
        ({}, {"refusal": "No."}, Stage.PROMPT),
        ({}, {"strictness": 0.9}, Stage.ANSWER),
        ({}, MODEL, Stage.ANSWER),
        (MODEL, {"temperature": 1}, Stage.ANSWER),
        ({}, {"prompt_name": "Another"}, None),
        ({}, {"query_transform": "none", "reranker": "none", "context_budget": 0}, None),
    ],
)
def test_a_setting_changes_its_stage_and_those_behind_it(base, change, stage):
    assert first_changed(base, change) == stage


@pytest.mark.parametrize(
    "asking",
    [{"query_transform": "hyde"}, {"query_transform": "rewrite"}, {"reranker": "llm"}],
)
@pytest.mark.parametrize("change", [{"llm": "openai:other"}, {"temperature": 1}, {"max_tokens": 9}])
def test_where_retrieval_asks_the_model_it_hangs_on_the_model(asking, change):
    assert first_changed(MODEL | asking, change) == Stage.RETRIEVAL
    assert first_changed(MODEL | {"reranker": "cross_encoder:mine"}, change) == Stage.ANSWER


def test_without_context_nothing_of_retrieval_counts():
    alone = MODEL | {"use_context": False}
    spec, other = PipelineSpec.create(alone), PipelineSpec.create(alone | {"prompt_without_context": "Say {question}"})
    assert spec.stage_fingerprint(Stage.RETRIEVAL) == other.stage_fingerprint(Stage.RETRIEVAL)
    assert first_changed(alone, {"prompt_without_context": "Say {question}"}) == Stage.PROMPT


def test_the_answer_is_the_last_stage_of_a_pipeline():
    spec = PipelineSpec.create()
    assert spec.stage_fingerprint(Stage.ANSWER) == spec.fingerprint
    assert spec.stage_fingerprint(Stage.INDEX) == spec.index_fingerprint
    assert {each.stage for each in pipeline_settings().values()} == set(Stage) - {Stage.EVALUATION}
