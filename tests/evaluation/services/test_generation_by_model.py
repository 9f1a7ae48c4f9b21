"""Test sets written by a chat model, as the background worker makes them, over real HTTP to the fake server."""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from evaluation.generator_spec import GeneratorSpec
from evaluation.models import TestSet
from evaluation.services import generation
from evaluation.services.generation import reported_usage
from evaluation.services.testsets import start_generation
from rag_pipeline.background.tasks import run_inline
from rag_pipeline.models import BackgroundTask
from tests.factories import WORDS, make_corpus
from tests.fake_openai import Behaviour, FakeOpenAI

FAR_OR_NEAR = "An assistant answers people from a collection of documents only"
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


def test_what_was_stopped_goes_on_by_the_same_command_and_pays_for_nothing_twice(
    fake_openai: FakeOpenAI, manage: Callable[..., CompletedProcess[str]]
) -> None:
    make_corpus(name="city")
    command = ("generate_testset", "--corpus", "city", "--name", "T", "--llm", "openai:writer", "--pairs", "2")
    fake_openai.when(FAR_OR_NEAR, Behaviour.rejected_key())
    failed = manage(*command, "--out-of-scope", "2")
    assert (failed.returncode, "Set OPENAI_API_KEY" in failed.stderr) == (1, True)
    testset = TestSet.objects.get()
    made = list(testset.questions.values_list("pk", "text"))
    asked = len(fake_openai.asked_for("WrittenPair"))
    assert (len(made), asked > 0) == (4, True)
    assert "go on with it" in manage(*command, "--out-of-scope", "4").stderr  # other settings

    fake_openai.rules.clear()
    done = manage(*command, "--out-of-scope", "2")
    assert done.returncode == 0, done.stderr
    assert "Going on with “T” after 4 questions" in done.stderr
    assert "T: 2 pairs, 2 out of scope." in done.stdout
    assert len(fake_openai.asked_for("WrittenPair")) == asked
    assert set(made) < set(testset.questions.values_list("pk", "text"))
    testset.refresh_from_db()
    assert reported_usage(testset).calls == len(fake_openai.requests) - 2  # the two rejected ones were not answered
    assert "already has a test set" in manage(*command, "--out-of-scope", "2").stderr
