"""One whole answer of a chat model (not streamed), as question writers and the connection test ask for it."""

from __future__ import annotations

import pytest

from rag_pipeline.llm.chat import ChatModel
from rag_pipeline.llm.failures import ModelCallError
from rag_pipeline.runtime import ModelLimits
from tests.fake_openai import Behaviour, FakeOpenAI

LIMITS = ModelLimits(timeout_s=120, max_retries=1, first_wait_s=0.01)
SCHEMA = {"title": "Word", "type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}


def model() -> ChatModel:
    return ChatModel("openai", "gpt-4.1-mini", max_tokens=20, limits=LIMITS)


@pytest.mark.parametrize("schema", [None, SCHEMA])
async def test_returns_text_tokens_and_why_it_ended(fake_openai: FakeOpenAI, schema: dict[str, object] | None) -> None:
    fake_openai.next(Behaviour.says('{"word": "ready"}'))
    reply = await model().ask_afresh("one two three", json_schema=schema)
    assert reply.text == '{"word": "ready"}'
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.finish) == (3, 2, "stop")
    assert reply.ttft_s is None
    assert "stream" not in fake_openai.bodies()[0] or not fake_openai.bodies()[0]["stream"]


@pytest.mark.parametrize("schema", [None, SCHEMA])
@pytest.mark.parametrize(
    "body",
    [b"<html>Welcome</html>", b"{}", b'{"choices": []}', b'{"choices": null}', b'{"choices": [{}]}', b"[1, 2]", b""],
)
async def test_an_answer_in_no_known_form_is_explained(
    fake_openai: FakeOpenAI, body: bytes, schema: dict[str, object] | None
) -> None:
    fake_openai.always = Behaviour.garbage(body, "text/html" if body.startswith(b"<") else "application/json")
    with pytest.raises(ModelCallError, match=r"cannot be read.*Tried 2 times") as caught:
        await model().ask_afresh("hello", json_schema=schema)
    assert not caught.value.permanent


async def test_an_error_inside_a_good_answer_is_an_error(fake_openai: FakeOpenAI) -> None:
    fake_openai.always = Behaviour.garbage(b'{"error": {"message": "overloaded"}}', "application/json")
    with pytest.raises(ModelCallError):
        await model().ask("hello")


async def test_an_error_in_the_middle_of_a_stream_is_tried_again(fake_openai: FakeOpenAI) -> None:
    event = b'data: {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}\n\n'
    fake_openai.next(Behaviour.garbage(event, "text/event-stream"), Behaviour.says("all well"))
    reply = await model().ask("hello", streaming=True)
    assert reply.text == "all well"
    assert reply.attempts == 2


async def test_a_model_that_has_used_up_its_limit_by_thinking_says_so(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.says("", finish="length"))
    assert "used up the longest answer" in (await model().ask("hello")).notes[0]


async def test_an_answer_of_a_form_that_was_cut_off_is_returned_as_such(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.says('{"word": "rea', finish="length"))
    reply = await model().ask_afresh("hello", json_schema=SCHEMA)
    assert (reply.text, reply.finish) == ('{"word": "rea', "length")


async def test_a_schema_that_is_refused_in_unknown_words_is_left_out_from_then_on(fake_openai: FakeOpenAI) -> None:
    refused = Behaviour(status=400, error={"message": 'Unknown name "additionalProperties": Cannot find field.'})
    fake_openai.next(refused)
    fake_openai.always = Behaviour.says("{}")
    asked = model()
    for _ in range(2):
        assert (await asked.ask_afresh("hello", json_schema=SCHEMA)).text
    assert ["response_format" in body for body in fake_openai.bodies()] == [True, False, False]


async def test_what_is_refused_without_a_schema_too_keeps_the_schema(fake_openai: FakeOpenAI) -> None:
    refused = Behaviour(status=400, error={"message": "The text violates the rules."})
    fake_openai.next(refused, refused, Behaviour.says("{}"))
    asked = model()
    with pytest.raises(ModelCallError, match="violates"):
        await asked.ask_afresh("hello", json_schema=SCHEMA)
    await asked.ask_afresh("hello", json_schema=SCHEMA)
    assert ["response_format" in body for body in fake_openai.bodies()] == [True, False, True]
