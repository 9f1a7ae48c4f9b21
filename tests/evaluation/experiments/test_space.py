"""The space of a sweep: values as people write them, what is the same thing, what cannot work, in which order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.experiments.space import MOST_CHUNKS, Space, Value, expand, in_order_of_work, read_values
from rag_pipeline.errors import ConfigError


def grid(**texts: str) -> dict[str, list[Value]]:
    return {name: [Value(value, {name: value}) for value in read_values(text)] for name, text in texts.items()}


def swept(expanded) -> list[dict]:
    return [dict(each.swept) for each in expanded.configurations]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("200, 400,800", ["200", "400", "800"]),
        ("200..1600 x 2", [200, 400, 800, 1600]),
        ("200..1500 × 2", [200, 400, 800]),
        ("0..0.3 + 0.1", [0, 0.1, 0.2, 0.3]),
        ("5..5+1", [5]),
        ("100..200 + 50, 1000", [100, 150, 200, "1000"]),
        ('[["\\n"], [" "]]', [["\n"], [" "]]),
    ],
)
def test_lists_and_ranges(text, values):
    assert read_values(text) == values


@pytest.mark.parametrize(
    "text", ["", " , ", "800..200 x 2", "200..800 x 1", "0..8 x 2", "1..2 + 0", "1..9999999+1", "[1"]
)
def test_what_has_no_end_or_no_value_is_refused(text):
    with pytest.raises(ConfigError):
        read_values(text)


def test_all_combinations_the_last_setting_changing_fastest():
    found = expand(Space({}, grid(chunk_size="200,400", top_k="2,4")))
    assert swept(found) == [
        {"chunk_size": 200, "top_k": 2},
        {"chunk_size": 200, "top_k": 4},
        {"chunk_size": 400, "top_k": 2},
        {"chunk_size": 400, "top_k": 4},
    ]
    assert [each.number for each in found.configurations] == [1, 2, 3, 4]
    assert found.configurations[2].label == "chunk size 400 · top k 2"
    assert expand(Space({}, grid(chunk_size="1200"))).configurations[0].label == "chunk size 1,200"
    assert found.configurations[2].spec.settings["chunk_size"] == 400


def test_what_nothing_reads_is_run_once_and_says_so():
    found = expand(Space({}, grid(retriever="dense,hybrid", hybrid_weight="0.3,0.7")))
    assert swept(found) == [
        {"retriever": "dense", "hybrid_weight": None},
        {"retriever": "hybrid", "hybrid_weight": 0.3},
        {"retriever": "hybrid", "hybrid_weight": 0.7},
    ]
    (folded,) = found.folded
    assert folded.reason == "the same as retriever dense: nothing reads hybrid weight there"
    assert folded.number == 1


def test_the_same_value_twice_is_one_configuration():
    found = expand(Space({}, grid(chunk_size="200,200")))
    assert len(found.configurations) == len(found.folded) == 1


def test_what_cannot_work_is_left_out_with_its_reason():
    found = expand(Space({}, grid(chunk_size="100,400", chunk_overlap="200")))
    assert swept(found) == [{"chunk_size": 400, "chunk_overlap": "200"}]
    (impossible,) = found.impossible
    assert impossible.swept["chunk_size"] == "100"
    assert "overlap" in impossible.reason.lower()


@pytest.mark.parametrize(
    ("base", "swept_by", "said"),
    [
        ({}, {"chunk_sise": "200"}, "chunk_size"),
        ({"nothing": 1}, {"chunk_size": "200"}, "nothing"),
        ({"mmr_lambda": 0.2}, {"chunk_size": "200,400"}, "mmr_lambda"),
        ({}, {"chunk_size": "0"}, "at least 10"),
        ({}, {"hybrid_weight": "0.1,0.2"}, "hybrid_weight"),
    ],
)
def test_a_space_with_nothing_to_run_or_a_name_without_effect_is_refused(base, swept_by, said):
    with pytest.raises(ConfigError, match=said):
        expand(Space(base, grid(**swept_by)))


def test_a_base_that_only_some_configurations_read_is_taken():
    found = expand(Space({"hybrid_weight": 0.3}, grid(retriever="dense,hybrid")))
    assert [each.spec.settings.get("hybrid_weight") for each in found.configurations] == [None, 0.3]


def test_without_answers_two_prompts_are_the_same_thing():
    texts = {"Short": "{context} {question}", "Long": "Please: {context} {question}"}
    prompts = {"prompt": [Value(name, {"prompt": text, "prompt_name": name}) for name, text in texts.items()]}
    assert [each.swept["prompt"] for each in expand(Space({}, prompts)).configurations] == ["Short", "Long"]
    folded = expand(Space({}, prompts, retrieval_only=True))
    assert [len(folded.configurations), len(folded.folded)] == [1, 1]
    assert folded.folded[0].reason.endswith("it changes nothing that is measured")


def test_retrieval_alone_needs_retrieval():
    space = Space({"llm": "openai:m"}, grid(use_context="true,false"), retrieval_only=True)
    assert len(expand(space).impossible) == 1


def test_a_budget_of_tokens_takes_the_place_of_top_k():
    found = expand(Space({}, grid(chunk_size="200,800"), context_tokens=1000))
    settings = [each.spec.settings for each in found.configurations]
    assert {each["context_budget"] for each in settings} == {1000}
    assert {each["top_k"] for each in settings} == {MOST_CHUNKS}
    with pytest.raises(ConfigError, match="top_k"):
        expand(Space({}, grid(top_k="2,4"), context_tokens=1000))


def test_with_a_reranker_the_budget_is_filled_from_its_candidates():
    space = Space({"llm": "openai:m"}, grid(reranker="none,llm"), context_tokens=1000)
    assert [each.spec.settings["top_k"] for each in expand(space).configurations] == [MOST_CHUNKS, 20]


def test_an_index_is_built_once_and_the_longest_ranking_comes_first():
    found = expand(Space({}, grid(top_k="2,8", retriever="dense,mmr", chunk_size="200,400")))
    order = [tuple(each.swept.values()) for each in in_order_of_work(found.configurations)]
    assert order == [
        (8, "dense", 200),
        (2, "dense", 200),
        (8, "mmr", 200),
        (2, "mmr", 200),
        (8, "dense", 400),
        (2, "dense", 400),
        (8, "mmr", 400),
        (2, "mmr", 400),
    ]


def test_too_many_configurations_are_refused():
    with pytest.raises(ConfigError, match="1,000,000"):
        expand(Space({}, grid(chunk_size="1..1000+1", top_k="1..1000+1")))


@given(
    st.lists(st.sampled_from(["dense", "mmr", "bm25", "hybrid"]), min_size=1, max_size=5),
    st.lists(st.integers(50, 60), min_size=1, max_size=4),
    st.lists(st.sampled_from([0.1, 0.5, 0.9]), min_size=1, max_size=3),
)
def test_nothing_is_lost_and_no_two_are_the_same(retrievers, sizes, weights):
    texts = {"retriever": retrievers, "chunk_size": sizes, "hybrid_weight": weights}
    space = Space({}, {name: [Value(value, {name: value}) for value in values] for name, values in texts.items()})
    if "hybrid" not in retrievers:
        with pytest.raises(ConfigError):
            expand(space)
        return
    found = expand(space)
    assert len(found.configurations) + len(found.folded) == len(retrievers) * len(sizes) * len(weights)
    assert len({each.spec.fingerprint for each in found.configurations}) == len(found.configurations)
    assert sorted(each.number for each in in_order_of_work(found.configurations)) == [
        each.number for each in found.configurations
    ]
