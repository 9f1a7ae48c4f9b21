"""Answers of a chat model, over real HTTP to the fake server."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from rag_pipeline.errors import PipelineError, ProviderError
from rag_pipeline.generators.base import generator_for
from rag_pipeline.generators.chat import ChatGenerator
from rag_pipeline.runtime import ModelLimits
from rag_pipeline.settings.prompt_templates import default_prompt, fill
from rag_pipeline.types import Context, Generation, GenerationRequest, Span
from tests.fake_openai import Behaviour, FakeOpenAI

TEXT = (
    "The lighthouse at Cape Wrath was built in 1828 by Robert Stevenson. "
    "It stands 20 metres tall. The keepers left when the light was automated in 1998."
)
BUILT_BY = "The lighthouse at Cape Wrath was built in 1828 by Robert Stevenson."
REFUSAL = "I am not aware of that topic"
QUICK = ModelLimits(timeout_s=120, max_retries=2, first_wait_s=0.01, longest_wait_s=0.5)
IMPATIENT = replace(QUICK, timeout_s=0.4)
"""For a server that stays silent."""


def request(question: str = "Who built the lighthouse at Cape Wrath?") -> GenerationRequest:
    contexts = (Context(Span(1, 0, len(TEXT)), "wrath.txt", TEXT, 0.9, 1),)
    template = default_prompt()
    prompt = fill(template, question=question, contexts=contexts, refusal=REFUSAL)
    return GenerationRequest(question, contexts, prompt, template, REFUSAL)


def generator(name: str = "gpt-4.1-mini", limits: ModelLimits = QUICK, provider: str = "openai") -> ChatGenerator:
    return ChatGenerator(provider, name, 0.0, 64, limits)


async def failure_of(model: ChatGenerator) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await model.generate(request())
    return caught.value


async def until_idle(server: FakeOpenAI) -> None:
    async with asyncio.timeout(60):
        while server.in_flight:
            await asyncio.sleep(0.01)


async def test_streams_pieces_and_ends_with_the_whole_answer(fake_openai: FakeOpenAI) -> None:
    pieces = [piece async for piece in generator().stream(request())]
    *texts, last = pieces
    assert isinstance(last, Generation)
    assert len(texts) == 12
    assert "".join(texts) == last.text == "The lighthouse at Cape Wrath was built in 1828 by Robert Stevenson."


async def test_counts_tokens_and_measures_the_first_one(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.slow(0.1))
    result = await generator().generate(request())
    assert result.usage.prompt_tokens == len(request().prompt.split())
    assert result.usage.completion_tokens == 12
    assert result.ttft_s is not None
    assert 0.1 <= result.ttft_s <= result.latency_s


async def test_sends_the_prompt_as_it_is_with_the_settings(fake_openai: FakeOpenAI) -> None:
    await generator().generate(request())
    (body,) = fake_openai.bodies()
    assert body["messages"] == [{"role": "user", "content": request().prompt}]
    assert (body["model"], body["temperature"], body["max_tokens"], body["stream"]) == ("gpt-4.1-mini", 0.0, 64, True)


async def test_declines_as_the_prompt_asks(fake_openai: FakeOpenAI) -> None:
    result = await generator().generate(request("Which wines did the bishop of Turin prefer?"))
    assert result.text == REFUSAL


async def test_an_empty_answer_is_an_answer(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.says(""))
    assert (await generator().generate(request())).text == ""


async def test_says_that_an_answer_was_cut_off_by_its_limit(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.says("It was built by", finish="length"))
    assert "cut off" in (await generator().generate(request())).notes[0]


@pytest.mark.parametrize(
    "trouble",
    [
        Behaviour.rate_limited(),
        Behaviour.server_error(500),
        Behaviour.server_error(503),
        Behaviour.garbage(),
        Behaviour.garbage(b"{}", "application/json"),
        Behaviour.garbage(b"data: {nonsense\n\n", "text/event-stream"),
        Behaviour.cut(0),
        Behaviour.cut(3),
    ],
)
async def test_a_passing_trouble_is_tried_again(fake_openai: FakeOpenAI, trouble: Behaviour) -> None:
    fake_openai.next(trouble)
    result = await generator().generate(request())
    assert result.text.endswith("Robert Stevenson.")
    assert len(fake_openai.requests) == 2
    assert result.details["attempts"] == 2
    assert "tried again" in result.notes[-1]


@pytest.mark.parametrize("trouble", [Behaviour.hang(), Behaviour(hangs_after=2)])
async def test_silence_is_tried_again(fake_openai: FakeOpenAI, trouble: Behaviour) -> None:
    fake_openai.next(trouble)
    # Many retries: a machine that holds up the second answer as well must not end the test.
    result = await generator(limits=replace(IMPATIENT, max_retries=100)).generate(request())
    assert result.details["attempts"] >= 2
    assert result.text.endswith("Robert Stevenson.")


async def test_waits_as_long_as_the_provider_asks(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.rate_limited(retry_after="0.3"))
    result = await generator().generate(request())
    first, second = fake_openai.requests
    assert second.at - first.at >= 0.3
    assert 0.3 <= result.details["waited_s"] < 0.35


async def test_does_not_wait_for_a_provider_that_asks_for_an_hour(fake_openai: FakeOpenAI) -> None:
    fake_openai.always = Behaviour.rate_limited(retry_after="3600")
    error = await failure_of(generator())
    assert error.retry_after == 3600
    assert not error.permanent
    assert len(fake_openai.requests) == 1


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (Behaviour.rate_limited(), "limits how many requests"),
        (Behaviour.server_error(502), "problem of its own (status 502)"),
        (Behaviour.garbage(), "cannot be read"),
        (Behaviour.cut(2), "broke off in the middle"),
    ],
)
async def test_gives_up_after_the_last_retry(fake_openai: FakeOpenAI, trouble: Behaviour, words: str) -> None:
    fake_openai.always = trouble
    error = await failure_of(generator())
    assert words in str(error)
    assert "(Tried 3 times.)" in str(error)
    assert not error.permanent
    assert len(fake_openai.requests) == 3


async def test_a_silent_server_is_given_up(fake_openai: FakeOpenAI) -> None:
    fake_openai.always = Behaviour.hang()
    error = await failure_of(generator(limits=IMPATIENT))
    assert "(Tried 3 times.)" in str(error)


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (Behaviour.rejected_key(), "rejected the key. Set OPENAI_API_KEY"),
        (Behaviour.forbidden(), "does not allow this key"),
        (Behaviour.out_of_quota(), "has no credit left"),
    ],
)
async def test_a_permanent_failure_is_not_tried_again(fake_openai: FakeOpenAI, trouble: Behaviour, words: str) -> None:
    fake_openai.always = trouble
    error = await failure_of(generator())
    assert error.permanent
    assert words in str(error)
    assert "sk-" not in str(error)
    assert len(fake_openai.requests) == 1


async def test_names_a_model_that_is_not_there(fake_openai: FakeOpenAI) -> None:
    fake_openai.models = {"llama3.1"}
    error = await failure_of(generator("llama9"))
    assert error.permanent
    assert "no model called “llama9”" in str(error)


async def test_a_wrong_path_points_at_the_address(fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", fake_openai.base_url.removesuffix("/v1"))
    error = await failure_of(generator())
    assert error.permanent
    assert "usually ends in /v1" in str(error)


async def test_too_long_a_prompt_names_the_settings_to_change(fake_openai: FakeOpenAI) -> None:
    fake_openai.always = Behaviour.too_long()
    error = await failure_of(generator())
    assert "smaller top k or chunk size" in str(error)
    assert not error.permanent
    assert len(fake_openai.requests) == 1


async def test_says_when_nothing_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    error = await failure_of(generator())
    assert "Nothing answers at http://127.0.0.1:9/v1" in str(error)
    assert not error.permanent


async def test_a_missing_key_is_named_without_asking_anyone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    error = await failure_of(generator())
    assert error.permanent
    assert "Set OPENAI_API_KEY" in str(error)


async def test_a_local_server_needs_no_key(fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    assert (await generator().generate(request())).text


@pytest.mark.parametrize("address", ["localhost:8000/v1", "ftp://example.org", "http://"])
async def test_an_address_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    assert "no web address" in str(await failure_of(generator()))


async def test_leaves_out_a_temperature_that_the_model_rejects(fake_openai: FakeOpenAI) -> None:
    fake_openai.rejects = {"temperature"}
    model = generator()
    first, second = await model.generate(request()), await model.generate(request())
    assert first.notes == second.notes == ("Temperature was left out: gpt-4.1-mini does not accept it.",)
    assert ["temperature" in body for body in fake_openai.bodies()] == [True, False, False]
    assert first.details["attempts"] == 1


@pytest.mark.parametrize("parameter", ["temperature", "max_tokens", "stream_options"])
async def test_a_setting_rejected_for_many_at_once_fails_none(fake_openai: FakeOpenAI, parameter: str) -> None:
    fake_openai.rejects = {parameter}
    results = [result async for _, result in generator().generate_many([request()] * 8)]
    assert [getattr(result, "text", result) for result in results] == [BUILT_BY] * 8
    assert sum(parameter not in body for body in fake_openai.bodies()) == 8
    assert ("max_completion_tokens" in fake_openai.bodies()[-1]) == (parameter == "max_tokens")


async def test_calls_the_limit_by_its_new_name_where_the_old_one_is_rejected(fake_openai: FakeOpenAI) -> None:
    fake_openai.rejects = {"max_tokens"}
    result = await generator().generate(request())
    assert fake_openai.bodies()[-1]["max_completion_tokens"] == 64
    assert result.notes == ()


async def test_leaves_out_a_limit_that_is_rejected_by_any_name(fake_openai: FakeOpenAI) -> None:
    fake_openai.rejects = {"max_tokens", "max_completion_tokens"}
    result = await generator().generate(request())
    last = fake_openai.bodies()[-1]
    assert "max_tokens" not in last
    assert "max_completion_tokens" not in last
    assert "was left out" in result.notes[0]


async def test_notes_a_temperature_that_was_left_out(fake_openai: FakeOpenAI) -> None:
    fake_openai.rejects = {"temperature"}
    result = await generator("gpt-5-mini").generate(request())
    assert result.notes == ("Temperature was left out: gpt-5-mini does not accept it.",)


async def test_does_without_token_counts_where_they_are_not_known(fake_openai: FakeOpenAI) -> None:
    fake_openai.rejects = {"stream_options"}
    result = await generator().generate(request())
    assert result.usage.prompt_tokens is None
    assert result.usage.cost_usd is None
    assert result.text


async def test_a_stream_that_breaks_while_somebody_reads_is_an_error(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.cut(2))
    stream = generator().stream(request())
    assert [await anext(stream), await anext(stream)] == ["The ", "lighthouse "]
    with pytest.raises(ProviderError, match="broke off"):
        await anext(stream)
    assert len(fake_openai.requests) == 1


async def test_many_are_in_flight_at_once_but_no_more_than_asked(fake_openai: FakeOpenAI) -> None:
    fake_openai.always = Behaviour(together=4)
    model = generator(limits=replace(QUICK, concurrency=4))
    results = [result async for result in model.generate_many([request()] * 12)]
    assert sorted(position for position, _ in results) == list(range(12))
    assert fake_openai.most_in_flight == 4
    assert len(fake_openai.connections) <= 4


async def test_a_rejected_key_stops_the_others(fake_openai: FakeOpenAI) -> None:
    fake_openai.key = "another"
    model = generator(limits=replace(QUICK, concurrency=2))
    results = [result async for _, result in model.generate_many([request()] * 20)]
    assert [isinstance(result, PipelineError) for result in results] == [True]
    assert len(fake_openai.requests) <= 4


def test_one_generator_serves_several_event_loops(fake_openai: FakeOpenAI) -> None:
    model = generator()
    for _ in range(3):
        assert asyncio.run(model.generate(request())).text
    assert len(fake_openai.connections) == 3


async def test_an_abandoned_stream_frees_the_server(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour(hangs_after=1))
    stream = generator().stream(request())
    assert await anext(stream) == "The "
    await stream.aclose()
    await until_idle(fake_openai)


async def test_an_unknown_provider_is_answered_with_examples() -> None:
    error = await failure_of(generator(provider="opnai"))
    assert error.permanent
    assert "no model provider called “opnai”" in str(error)
    assert "openai:gpt-4.1-mini" in str(error)


async def test_a_missing_package_is_named() -> None:
    error = await failure_of(generator("claude-sonnet-4-5", provider="anthropic"))
    assert error.permanent
    assert "pip install langchain-anthropic" in str(error)


@pytest.fixture
def azure(fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> FakeOpenAI:
    """Azure's chat model ships with langchain-openai and stands for every provider behind init_chat_model."""
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "sk-azure")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", fake_openai.base_url.removesuffix("/v1"))
    monkeypatch.setenv("OPENAI_API_VERSION", "2025-01-01-preview")
    return fake_openai


def test_other_providers_come_through_langchain_in_any_loop(azure: FakeOpenAI) -> None:
    model = generator("my-deployment", provider="azure_openai")
    for _ in range(3):
        result = asyncio.run(model.generate(request()))
        assert result.text.endswith("Robert Stevenson.")
        assert result.ttft_s is not None
    assert azure.requests[0].path.startswith("/openai/deployments/my-deployment")
    assert len(azure.connections) == 1


async def test_failures_of_other_providers_are_explained_alike(azure: FakeOpenAI) -> None:
    azure.next(Behaviour.server_error(), Behaviour.rejected_key())
    error = await failure_of(generator("my-deployment", provider="azure_openai"))
    assert error.permanent
    assert "rejected the key. Set AZURE_OPENAI_API_KEY" in str(error)
    assert len(azure.requests) == 2


async def test_an_abandoned_stream_of_another_provider_ends_too(azure: FakeOpenAI) -> None:
    azure.next(Behaviour(hangs_after=1))
    stream = generator("my-deployment", provider="azure_openai").stream(request())
    await anext(stream)
    await stream.aclose()
    await until_idle(azure)


def test_the_setting_chooses_the_generator() -> None:
    model = generator_for("ollama:llama3.1:8b", 0.2, 99)
    assert isinstance(model, ChatGenerator)
    assert (model.provider, model.name, model.temperature, model.max_tokens) == ("ollama", "llama3.1:8b", 0.2, 99)
