"""Transforms that ask a model, over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from rag_pipeline import runtime
from rag_pipeline.errors import ConfigError, PipelineError, ProviderError
from rag_pipeline.generators.base import generator_for
from rag_pipeline.query_transforms.base import QueryTransform, Transformed, query_transforms
from rag_pipeline.runtime import ModelLimits
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import FREE
from tests.fake_openai import Behaviour, FakeOpenAI

QUESTION = "When was the museum opened?"


def transform(key: str, questions: Sequence[str], **options: Any) -> list[Any]:
    """Return what a transform with a real client makes of questions."""

    async def ask() -> Sequence[Transformed | PipelineError]:
        generator = generator_for("openai:gpt-4.1-mini")
        unit: type[QueryTransform] = query_transforms.get(key)
        try:
            made = unit(unit.Options(**options), generator.complete)
            return await made.transform_many(questions)
        finally:
            await generator.aclose()

    return list(asyncio.run(ask()))


def test_all_are_found_with_a_line_on_when_they_help() -> None:
    assert query_transforms.keys() == ["hyde", "multi_query", "rewrite", "step_back"]
    for unit in query_transforms:
        assert unit.label
        assert unit.help.startswith("Helps where ")
        assert bool(unit.why_model) == unit.needs_model


def test_rewrite_searches_with_the_question_that_the_model_wrote(fake_openai: FakeOpenAI) -> None:
    fake_openai.when("musem", Behaviour.says(f"Sure, here is the rewritten question:\n“{QUESTION}”"))
    [result] = transform("rewrite", ["hi!! when was teh musem {question} opened"])
    assert result.queries == (QUESTION,)
    assert result.notes == ()
    sent = fake_openai.bodies()[0]["messages"][-1]["content"]
    assert "<question>\nhi!! when was teh musem {question} opened\n</question>" in sent
    assert result.usage.prompt_tokens == sum(
        len(part["content"].split()) for part in fake_openai.bodies()[0]["messages"]
    )
    assert result.usage.completion_tokens == 11
    assert result.usage.cost_usd is None  # nobody knows what this server costs
    assert result.seconds > 0


def test_hyde_searches_with_the_passage_in_place_of_the_question(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.says("Here is a passage:\n\nThe museum opened in 1942. It was free."))
    [result] = transform("hyde", [QUESTION])
    assert result.queries == ("The museum opened in 1942. It was free.",)


def test_step_back_adds_the_more_general_question(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.says("Step-back question: What is the history of the museum?"))
    [result] = transform("step_back", [QUESTION])
    assert result.queries == (QUESTION, "What is the history of the museum?")


def test_multi_query_keeps_the_question_and_asks_for_as_many_as_are_set(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(
        Behaviour.says("1. When did it open?\n2. when was the museum OPENED\n3. Opening date?\n4. Since when?")
    )
    [result] = transform("multi_query", [QUESTION], query_count=2)
    assert result.queries == (QUESTION, "When did it open?", "Opening date?")
    assert result.notes == ()
    assert "in 2 different ways" in fake_openai.bodies()[0]["messages"][-1]["content"]


def test_multi_query_says_when_the_model_wrote_fewer(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.says('["When did it open?"]'))
    [result] = transform("multi_query", [QUESTION])
    assert result.queries == (QUESTION, "When did it open?")
    assert result.notes == ("Several wordings: the model wrote 1 of 3.",)


@pytest.mark.parametrize("count", [0, 11])
def test_the_number_of_wordings_has_limits(count: int) -> None:
    with pytest.raises(ValueError, match="query_count"):
        query_transforms.get("multi_query").Options(query_count=count)


@pytest.mark.parametrize("key", ["rewrite", "hyde", "multi_query", "step_back"])
@pytest.mark.parametrize("reply", ["", "<think>Let me see", "I'm sorry, I cannot help with that."])
def test_without_a_usable_reply_the_question_itself_is_searched_for(
    fake_openai: FakeOpenAI, key: str, reply: str
) -> None:
    fake_openai.always = Behaviour.says(reply)
    [result] = transform(key, [QUESTION])
    assert result.queries == (QUESTION,)
    assert "the question itself was searched for" in result.notes[0]
    assert result.usage.prompt_tokens > 0


def test_an_empty_reply_for_want_of_tokens_says_so(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.says("", finish="length"))
    [result] = transform("hyde", [QUESTION])
    assert "max_tokens" in result.notes[0]


def test_questions_are_asked_at_the_same_time_but_no_more_than_allowed(fake_openai, monkeypatch) -> None:
    monkeypatch.setattr(runtime, "_configured", ModelLimits(concurrency=4))
    fake_openai.always = Behaviour(together=4)
    questions = [f"What is the number {number}?" for number in range(12)]
    results = transform("rewrite", questions)
    assert [result.queries for result in results] == [(question,) for question in questions]
    assert fake_openai.most_in_flight == 4


def test_one_question_that_fails_leaves_the_others_alone(fake_openai: FakeOpenAI) -> None:
    fake_openai.when("number 1", Behaviour.too_long())
    one, two, three = transform("multi_query", [f"What is number {number}?" for number in (0, 1, 2)], query_count=1)
    assert isinstance(two, ProviderError)
    assert len(one.queries) == len(three.queries) == 2


def test_a_rejected_key_ends_the_asking(fake_openai, monkeypatch) -> None:
    monkeypatch.setattr(runtime, "_configured", ModelLimits(concurrency=2))
    fake_openai.key = "another"
    results = transform("step_back", [f"What is number {number}?" for number in range(20)])
    assert all(isinstance(result, ProviderError) and result.permanent for result in results)
    assert len(fake_openai.bodies()) <= 2


@pytest.mark.parametrize("key", ["hyde", "multi_query", "step_back"])
async def test_those_that_need_a_model_say_why(key: str) -> None:
    [error] = await query_transforms.get(key)().transform_many([QUESTION])
    assert isinstance(error, ConfigError)
    assert "must be written" in str(error)


async def test_rules_need_no_model_and_cost_nothing() -> None:
    made = query_transforms.get("rewrite")(vocabulary=lambda: {"museum": 3, "opened": 2})
    [result] = await made.transform_many(["Could you please tell me when the musem was opened? Thanks!"])
    assert result.queries == ("When the museum was opened?",)
    assert result.usage == FREE
    assert result.notes == ()


@pytest.mark.parametrize("key", ["rewrite", "hyde", "step_back", "multi_query"])
def test_a_prompt_of_one_s_own_is_asked_in_place_of_the_shipped_one(fake_openai: FakeOpenAI, key: str) -> None:
    fake_openai.always = Behaviour.says("What is the history of the museum?")
    transform(key, [QUESTION], transform_prompt="Other words, please, for {question} {unknown}")
    sent = fake_openai.bodies()[0]["messages"][-1]["content"]
    assert sent == f"Other words, please, for {QUESTION} {{unknown}}"


def test_a_prompt_without_the_question_is_refused_and_none_changes_no_fingerprint() -> None:
    given = {"llm": "openai:fake", "query_transform": "hyde"}
    with pytest.raises(ConfigError, match=r"The transform prompt has no \{question\}") as refused:
        PipelineSpec.create(given | {"transform_prompt": "Anything"})
    assert refused.value.field == "transform_prompt"
    plain, own = (PipelineSpec.create(given | more) for more in ({}, {"transform_prompt": "Ask {question}"}))
    assert PipelineSpec.create(given | {"transform_prompt": ""}).fingerprint == plain.fingerprint != own.fingerprint
