"""JSON forms: read out of whatever surrounds them, asked for again where they do not fit."""

from __future__ import annotations

import pytest

from rag_pipeline.llm.chat import ChatModel
from rag_pipeline.llm.structured import Form, UnreadableReplyError, ask_form, read_form, strict_schema
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.types import Usage
from tests.fake_openai import Behaviour, FakeOpenAI


class Verdict(Form):
    """A small form."""

    right: bool
    reason: str = ""


class Verdicts(Form):
    """A form with parts."""

    items: list[Verdict]


@pytest.mark.parametrize(
    "text",
    [
        '{"right": true, "reason": "ok"}',
        'Here it is:\n```json\n{"right": true, "reason": "ok"}\n```\nAnything else?',
        '<think>Maybe {"right": 7}? No {braces} here.</think> {"right": true, "reason": "ok"}',
        '{"right": true, "reason": "ok",}',
        '{"verdict": 1} {"right": true, "reason": "ok", "more": []}',
        '<think>At first {"right": false, "reason": "draft"}.</think>{"right": true, "reason": "ok"}',
        'First {"right": false, "reason": "draft"}, but no.</think>\n{"right": true, "reason": "ok"}',
        '{"Right": "Yes", "REASON": "ok"}',
        '{"result": {"right": true, "reason": "ok"}}',
        '{"right": true, "reason": "ok"} As I said: {"right": true, "reason": "ok"}',
        '{"a": ' + "1" * 5000 + '} {"right": true, "reason": "ok"}',
    ],
)
def test_reads_the_form_out_of_what_surrounds_it(text: str) -> None:
    found, wrong = read_form(text, Verdict)
    assert found == Verdict(right=True, reason="ok")
    assert wrong == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I would say yes.", "no JSON object"),
        ('{"right": "perhaps"}', "Right must be true or false"),
        ('{"right": true', "no JSON object"),
        ('{"a": ' * 3000, "no JSON object"),
        ('<think>Perhaps {"right": true, "reason": "draft"}', "no JSON object"),
        ('{"right": true, "reason": "a"} or {"right": false, "reason": "b"}', "more than one JSON object"),
    ],
)
def test_says_what_is_wrong(text: str, words: str) -> None:
    found, wrong = read_form(text, Verdict)
    assert found is None
    assert words in wrong


def test_marks_in_the_reply_itself_are_no_thoughts_and_what_cannot_be_stored_is_replaced() -> None:
    assert read_form('{"right": true, "reason": "it says </think>, ok}"}', Verdict)[0] is not None
    found, _ = read_form('{"right": true, "reason": "half \\ud83d, zero \\u0000, whole \\ud83d\\ude00"}', Verdict)
    assert found is not None
    assert found.reason == "half \ufffd, zero \ufffd, whole \U0001f600"


def test_the_schema_is_strict_throughout() -> None:
    schema = strict_schema(Verdicts)
    part = schema["$defs"]["Verdict"]
    assert schema["additionalProperties"] is part["additionalProperties"] is False
    assert part["required"] == ["right", "reason"]


async def test_sends_the_schema(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.says('{"right": false}'))
    tally = UsageTally()
    assert not (await ask_form(ChatModel("openai", "m"), "Is it?", Verdict, tally)).right
    (body,) = fake_openai.bodies()
    assert body["response_format"]["json_schema"]["name"] == "Verdict"
    assert body["response_format"]["json_schema"]["strict"] is True
    assert tally.calls == 1


async def test_gives_up_when_no_attempt_fits(fake_openai: FakeOpenAI) -> None:
    fake_openai.always = Behaviour.says("no")
    with pytest.raises(UnreadableReplyError, match="no JSON object"):
        await ask_form(ChatModel("openai", "m"), "Is it?", Verdict, UsageTally())
    assert len(fake_openai.requests) == 2


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    tally = UsageTally()
    tally.add(Usage(10, 5, 0.25))
    tally.add(Usage(20, 5, 0.5))
    assert tally.total == Usage(30, 10, 0.75)
    assert tally.sentence() == "2 calls, 30 + 10 tokens, $0.7500."
    tally.add(Usage(1, 1, None))
    assert tally.total == Usage(31, 11, None)
    assert tally.sentence() == "3 calls, 31 + 11 tokens, cost unknown."
