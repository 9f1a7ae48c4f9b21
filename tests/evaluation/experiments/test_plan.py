"""The plan of a sweep: what is to be computed, what is there, what it will take."""

from __future__ import annotations

import json

import pytest

from evaluation.experiments.pace import Pace
from evaluation.experiments.plan import IndexFacts, make_plan
from evaluation.experiments.space import Space, Value, expand
from rag_pipeline.settings.pipeline_spec import PipelineSpec

MODEL = "openai:gpt-test"


def space(**grid: list) -> Space:
    return Space(
        {"llm": MODEL}, {name: [Value(each, {name: each}) for each in values] for name, values in grid.items()}
    )


def test_stages_count_what_is_there_already():
    """Two sizes × two top k × two temperatures over 10 questions: 2 indexes, rankings by size and temperature once."""
    expanded = expand(space(chunk_size=[200, 400], top_k=[2, 4], max_tokens=[64, 128]))
    first = expanded.configurations[0]
    plan = make_plan(
        expanded,
        questions=10,
        indexes={first.spec.index_fingerprint: IndexFacts(True, 0)},
        answered={1: 10, 2: 4},
        paces={MODEL: Pace(7, 2.0, 250.0, 50.0)},
        at_once=4,
    )
    stages = {each.name: (each.total, each.there, each.to_do) for each in plan.stages}
    assert stages["Indexes"] == (2, 1, 1)
    assert stages["Rankings"] == (20, 0, 20)
    assert stages["Answers"] == (80, 14, 66)
    assert plan.calls == 66
    assert plan.seconds == pytest.approx(66 * 2.0 / 4)
    assert plan.tokens == pytest.approx(66 * 300)
    assert plan.cost_usd is None
    assert json.loads(json.dumps(plan.as_json()))["stages"][2]["to_do"] == 66


def test_a_model_that_was_never_asked_takes_an_unknown_time():
    plan = make_plan(expand(space(chunk_size=[200])), questions=5, indexes={}, answered={}, paces={})
    assert (plan.calls, plan.seconds, plan.cost_usd) == (5, None, None)


def test_retrieval_alone_asks_no_model():
    built = Space({}, {"chunk_size": [Value(200, {"chunk_size": 200})]}, retrieval_only=True)
    plan = make_plan(expand(built), questions=5, indexes={}, answered={}, paces={}, retrieval_only=True)
    assert (plan.calls, plan.seconds) == (0, 0)
    assert [each.name for each in plan.stages] == ["Indexes", "Rankings"]


def test_transforms_are_calls_too():
    expanded = expand(space(query_transform=["none", "rewrite"]))
    assert make_plan(expanded, questions=5, indexes={}, answered={}, paces={}).calls == 5 + 10


def test_longer_contexts_take_more_tokens_and_money():
    """Measured at 2,000 characters of prompt: 500 tokens read, 50 written, $2 and $8 a million."""
    pace = Pace(3, 1.0, 500.0, 50.0, 2000.0, (2e-6, 8e-6))
    small, large = (PipelineSpec.create({"llm": MODEL, "chunk_size": size, "top_k": 4}) for size in (500, 2000))
    read = [pace.for_settings(each).prompt_tokens for each in (small, large)]
    assert read[1] - read[0] == pytest.approx(4 * 1500 * 500 / 2000)
    assert pace.cost_usd == pytest.approx(500 * 2e-6 + 50 * 8e-6)
    assert pace.for_settings(large).cost_usd == pytest.approx(read[1] * 2e-6 + 50 * 8e-6)


def test_embedding_and_the_builtin_reader_take_time_too():
    expanded = expand(Space({}, {"chunk_size": [Value(200, {"chunk_size": 200})]}))
    index = {expanded.configurations[0].spec.index_fingerprint: IndexFacts(False, 80)}
    plan = make_plan(expanded, questions=20, indexes=index, answered={}, paces={})
    assert plan.seconds == pytest.approx(80 / 40 + 20 * 0.05)
    assert plan.unmeasured == []
