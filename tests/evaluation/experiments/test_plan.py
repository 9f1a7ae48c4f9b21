"""The plan of a sweep: what is to be computed, what is there, what it will take."""

from __future__ import annotations

import json

import pytest

from evaluation.experiments.plan import IndexFacts, Pace, make_plan
from evaluation.experiments.space import Space, Value, expand

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
        paces={MODEL: Pace(7, seconds=2.0, tokens=300.0, cost_usd=None)},
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
