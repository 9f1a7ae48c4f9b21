"""What a sweep will take, measured by a pilot, and a budget that pauses it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from evaluation.queries.sweep_table import sweep_table
from evaluation.services.sweeps import pilot_sweep, plan_sweep, resume_sweep
from rag_pipeline.background.tasks import run_inline
from rag_pipeline.runtime import configure, configured_limits
from tests.evaluation.sweeps import CHAT, begun, spec_of
from tests.factories import make_testset

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def priced(tmp_path) -> Iterator[None]:
    """A dollar for a thousand tokens."""
    prices, before = tmp_path / "prices.json", configured_limits()
    prices.write_text(json.dumps({"gpt-test": {"input": 1000.0, "output": 1000.0}}))
    configure(replace(before, prices_file=prices))
    yield
    configure(before)


def test_a_pilot_measures_a_model_that_answered_nothing_yet(fake_openai, priced):
    testset = make_testset()
    spec = spec_of({"chunk_size": "100,300"}, CHAT)
    before = plan_sweep(corpus=testset.corpus, testset=testset, spec=spec)
    assert (before.seconds, before.tokens, before.cost_usd, before.unmeasured) == (
        None,
        None,
        None,
        ["openai:gpt-test"],
    )
    plan = pilot_sweep(corpus=testset.corpus, testset=testset, spec=spec, plan=before)
    assert len(fake_openai.bodies()) == 3
    assert plan.unmeasured == []
    assert plan.paces["openai:gpt-test"].piloted
    assert plan.seconds > 0
    assert plan.tokens > 0
    assert plan.cost_usd == pytest.approx(plan.tokens * 1e-3)
    again = plan_sweep(corpus=testset.corpus, testset=testset, spec=spec)
    assert again.cost_usd == plan.cost_usd  # it is kept


def test_a_budget_pauses_a_sweep_and_going_on_grants_it_again(fake_openai, priced, monkeypatch):
    """What a pilot showed allows one question at a time: the sweep pauses soon, a resume asks nothing twice."""
    monkeypatch.setattr("evaluation.services.sweep_budget._LOOK_S", 0.0)
    testset, spec = make_testset(), spec_of({"chunk_size": "100,300"}, CHAT, budget_usd=0.01)
    plan = plan_sweep(corpus=testset.corpus, testset=testset, spec=spec)
    pilot_sweep(corpus=testset.corpus, testset=testset, spec=spec, plan=plan)
    piloted = len(fake_openai.bodies())
    sweep = begun(testset, spec)
    assert run_inline(sweep.task).state == "cancelled"
    sweep.refresh_from_db()
    assert sweep.state["paused"].startswith("The budget of $0.01 is spent ($")
    for _ in range(20):
        resume_sweep(sweep=sweep)
        assert "paused" not in sweep.state
        if run_inline(sweep.task).state == "done":
            break
        sweep.refresh_from_db()
    assert [row.state for row in sweep_table(sweep).rows] == ["done", "done"]
    asked = [json.dumps(body, sort_keys=True) for body in fake_openai.bodies()[piloted:]]
    assert len(asked) == len(set(asked)) <= 16
