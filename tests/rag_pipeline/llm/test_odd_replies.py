"""Replies of real servers that are no plain text: half characters, thoughts, tools, odd counts, errors with 200."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rag_pipeline.llm.chat import ChatModel, Reply
from rag_pipeline.llm.failures import ModelCallError
from rag_pipeline.runtime import ModelLimits
from rag_pipeline.types import Usage
from tests.fake_openai import Behaviour, FakeOpenAI

LIMITS = ModelLimits(timeout_s=120, max_retries=1, first_wait_s=0.01)
COUNTED = {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}


def model(limits: ModelLimits = LIMITS) -> ChatModel:
    return ChatModel("openai", "gpt-4.1-mini", limits=limits)


def whole(message: dict[str, Any], finish: str = "stop", usage: dict[str, Any] | None = None) -> Behaviour:
    choice = {"index": 0, "message": {"role": "assistant"} | message, "finish_reason": finish}
    body = {"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage or COUNTED}
    return Behaviour.garbage(json.dumps(body).encode(), "application/json")


def streamed(*pieces: str) -> Behaviour:
    choices = [{"index": 0, "delta": {"content": piece}, "finish_reason": None} for piece in pieces]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    chunks = [{"id": "x", "object": "chat.completion.chunk", "choices": [choice]} for choice in choices]
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    return Behaviour.garbage(body.encode(), "text/event-stream")


@pytest.mark.parametrize(
    ("pieces", "answer"),
    [
        (["Hi \ud83d", "\ude00", "."], "Hi 😀."),
        (["Pa\ud800ris", "\udc00", "\ud83d"], "Pa\ufffdris\ufffd\ufffd"),
        (["Pa\x00ris"], "Pa\ufffdris"),
        (["<think>Rome? No.", "</think>", "\n\nParis."], "Paris."),
        ([" <", "think>", "Rome</th", "ink>Paris."], "Paris."),
        (["<think>Rome, or"], ""),
        (["<", "b"], "<b"),
        (["<"], "<"),
        (["Put it into <think>…</think>."], "Put it into <think>…</think>."),
        (['{"tag": "</think>"}'], '{"tag": "</think>"}'),
    ],
)
async def test_an_answer_can_be_stored_and_holds_no_thoughts(
    fake_openai: FakeOpenAI, pieces: list[str], answer: str
) -> None:
    fake_openai.next(streamed(*pieces), whole({"content": "".join(pieces)}))
    shown = [piece async for piece in model().stream("hello")]
    assert isinstance(shown[-1], Reply)
    assert shown[-1].text == answer
    assert "".join(str(piece) for piece in shown[:-1]).strip() == answer
    assert (await model().ask("hello")).text == answer


async def test_thoughts_whose_beginning_is_not_marked_are_left_out_at_the_end(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(streamed("Rome? No.", "</think>\n\n", "Paris."))
    assert (await model().ask("hello", streaming=True)).text == "Paris."


async def test_a_model_that_declines_in_a_field_of_its_own_is_quoted(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(whole({"content": None, "refusal": "I cannot help with that."}))
    assert (await model().ask("hello")).text == "I cannot help with that."


async def test_a_model_that_calls_a_tool_instead_says_so(fake_openai: FakeOpenAI) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    fake_openai.next(whole({"content": None, "tool_calls": [call]}, "tool_calls"))
    reply = await model().ask("hello")
    assert reply.text == ""
    assert "called a tool instead" in reply.notes[0]


@pytest.mark.parametrize(
    ("counts", "known"),
    [
        ((5, 3), Usage(5, 3)),
        ((5, None), Usage(5, None)),
        ((None, None), Usage(None, None)),
        ((0, 0), Usage(None, None)),
        ((-1, -1), Usage(None, None)),
        ((10**30, 3), Usage(None, 3)),
    ],
)
async def test_tokens_that_were_not_counted_are_unknown_and_never_free(
    fake_openai: FakeOpenAI, tmp_path: Any, counts: tuple[int | None, int | None], known: Usage
) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"gpt-4.1-mini": {"input": 1000000, "output": 1000000}}')
    usage = {"prompt_tokens": counts[0], "completion_tokens": counts[1], "total_tokens": 1}
    fake_openai.next(whole({"content": "Paris."}, usage=usage))
    found = (await model(ModelLimits(prices_file=prices)).ask("hello")).usage
    assert (found.prompt_tokens, found.completion_tokens) == (known.prompt_tokens, known.completion_tokens)
    assert found.cost_usd == (8.0 if counts == (5, 3) else None)


@pytest.mark.parametrize(
    ("body", "said", "permanent"),
    [
        ({"message": "upstream overloaded", "code": 502}, r"status 502.*It said: upstream overloaded", False),
        ({"message": "slow down", "code": 429}, "limits how many requests", False),
        ({"message": "No auth", "code": 401}, "rejected the key", True),
    ],
)
@pytest.mark.parametrize("streaming", [False, True])
async def test_an_error_sent_with_status_200_is_told_as_what_it_is(
    fake_openai: FakeOpenAI, body: dict[str, Any], said: str, permanent: bool, streaming: bool
) -> None:
    text = json.dumps({"error": body})
    kind = "text/event-stream" if streaming else "application/json"
    fake_openai.always = Behaviour.garbage((f"data: {text}\n\n" if streaming else text).encode(), kind)
    with pytest.raises(ModelCallError, match=said) as caught:
        await model().ask("hello", streaming=streaming)
    assert caught.value.permanent is permanent


async def test_what_a_server_says_of_its_own_problem_is_passed_on(fake_openai: FakeOpenAI) -> None:
    words = "model requires more system memory (5.0 GiB) than is available (1.9 GiB)"
    fake_openai.always = Behaviour(status=500, body=json.dumps({"error": words}).encode())
    with pytest.raises(ModelCallError, match=r"It said: model requires more system memory \(5.0 GiB\)"):
        await model().ask("hello")


async def test_a_limit_that_lasts_for_long_names_its_end(fake_openai: FakeOpenAI) -> None:
    fake_openai.always = Behaviour.rate_limited("1500")
    with pytest.raises(ModelCallError, match="Wait 25 minutes and try again"):
        await model().ask("hello")
    assert len(fake_openai.requests) == 1
