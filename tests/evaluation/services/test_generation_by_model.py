"""Test sets written by a chat model, as the background worker makes them, over real HTTP to the fake server."""

from __future__ import annotations

import pytest

from evaluation.models import TestSet
from evaluation.services import generation
from evaluation.services.generation import reported_usage
from evaluation.services.testsets import start_generation
from evaluation.spec import GeneratorSpec
from rag_pipeline.background import run_inline
from rag_pipeline.models import BackgroundTask
from tests.factories import WORDS, make_corpus
from tests.fake_openai import Behaviour, FakeOpenAI

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def light_embedding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "WRITER_EMBEDDING", WORDS)


def generate(name: str = "T", **spec: object) -> tuple[TestSet, BackgroundTask]:
    given = {"llm": "openai:writer", "pairs": 2, "out_of_scope": 2} | spec
    testset = start_generation(corpus=make_corpus(), name=name, spec=GeneratorSpec.create(given))
    assert testset.task is not None
    task = run_inline(testset.task)
    testset.refresh_from_db()
    return testset, task


def test_stores_what_the_model_wrote_and_what_it_cost(fake_openai: FakeOpenAI) -> None:
    testset, task = generate()
    assert task.state == "done", task.error
    assert testset.report["made"] == {"pairs": 2, "out_of_scope": 2}
    assert testset.report["message"] == ""
    usage = reported_usage(testset)
    assert usage.calls == len(fake_openai.requests)
    assert (usage.total.prompt_tokens or 0) > 100
    assert "cost unknown" in usage.sentence()
    for question in testset.questions.filter(kind="simple"):
        assert question.evidence.count() == 1


def test_reports_why_questions_were_left_out(fake_openai: FakeOpenAI) -> None:
    fake_openai.fills("StandaloneVerdict", {"understandable": False, "reason": "which event?"})
    testset, _ = generate()
    assert testset.report["rejected"]["pairs"] == {"It cannot be understood without the passage": 1}
    assert testset.report["made"]["pairs"] == 2


def test_a_rejected_key_ends_it_with_the_mend(fake_openai: FakeOpenAI) -> None:
    fake_openai.always = Behaviour.rejected_key()
    _, task = generate()
    assert task.state == "failed"
    assert "Set OPENAI_API_KEY" in task.error


def test_what_was_paid_before_it_failed_is_reported(fake_openai: FakeOpenAI) -> None:
    fake_openai.always = Behaviour.says("Sure! Here is a question.")
    testset, task = generate()
    assert "choose another model" in task.error
    assert reported_usage(testset).calls == len(fake_openai.requests) > 0
