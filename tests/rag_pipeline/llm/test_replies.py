"""Replies kept by content: asked once, whoever asks; past the store where that is wanted; written together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from rag_pipeline.llm.chat import ChatModel
from rag_pipeline.llm.loop_thread import gather_blocking, iterate_blocking
from rag_pipeline.llm.replies import Reply, asking
from rag_pipeline.types import Usage
from tests.fake_openai import Behaviour, FakeOpenAI


class Store(dict[str, dict[str, Any]]):
    """A store in memory that counts how often it is read and written."""

    reads = writes = 0

    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        self.reads += 1
        return {key: self[key] for key in keys if key in self}

    def put_many(self, replies: Mapping[str, dict[str, Any]]) -> None:
        self.writes += 1
        self.update(replies)


def model(store: Store, name: str = "m", temperature: float = 0.0, max_tokens: int = 100) -> ChatModel:
    return ChatModel("openai", name, temperature=temperature, max_tokens=max_tokens, replies=store)


async def ask(chat: ChatModel, prompt: str, *, repeat: int = 0, afresh: bool = False) -> Reply:
    with asking(repeat, afresh=afresh):
        return await chat.ask(prompt)


def test_the_same_call_is_made_once_now_and_later(fake_openai: FakeOpenAI) -> None:
    store = Store()
    first, same, other = gather_blocking([ask(model(store), prompt) for prompt in ("a", "a", "b")])
    assert len(fake_openai.requests) == 2
    assert (first.kept, same.kept, other.kept) == (False, True, False)
    [again] = gather_blocking([ask(model(store), "a")])
    assert len(fake_openai.requests) == 2
    assert again.kept
    assert (again.text, again.usage, again.latency_s) == (first.text, first.usage, first.latency_s)


def test_replies_are_read_and_written_together(fake_openai: FakeOpenAI) -> None:
    store = Store()
    gather_blocking([ask(model(store), f"question {number}") for number in range(50)])
    assert (store.reads, len(store)) == (1, 50)
    assert store.writes <= 3


def test_all_that_decides_a_reply_is_part_of_what_is_asked(fake_openai: FakeOpenAI) -> None:
    store = Store()
    others = [model(store, "other"), model(store, temperature=0.5), model(store, max_tokens=7)]
    gather_blocking([ask(model(store), "a"), *(ask(other, "a") for other in others), ask(model(store), "a", repeat=1)])
    assert len(fake_openai.requests) == 5


def test_asked_afresh_the_new_reply_takes_the_place_of_the_kept_one(fake_openai: FakeOpenAI) -> None:
    store = Store()
    fake_openai.next(Behaviour.says("old"), Behaviour.says("new"))
    gather_blocking([ask(model(store), "a")])
    assert gather_blocking([ask(model(store), "a", afresh=True)])[0].text == "new"
    assert gather_blocking([ask(model(store), "a")])[0].text == "new"


def test_what_a_filter_stopped_and_what_is_empty_is_not_kept(fake_openai: FakeOpenAI) -> None:
    store = Store()
    fake_openai.next(Behaviour.says("I", finish="content_filter"), Behaviour.says("", finish="length"))
    gather_blocking([ask(model(store), "a"), ask(model(store), "b")])
    assert not store


def test_what_was_paid_for_is_kept_when_the_work_is_given_up(fake_openai: FakeOpenAI) -> None:
    store = Store()

    async def answers() -> AsyncIterator[Reply]:
        yield await ask(model(store), "a")
        yield await ask(model(store), "b")

    steps = iterate_blocking(answers)
    next(steps)
    steps.close()
    assert len(store) == 1


def test_a_failure_is_not_kept_and_is_everybody_s(fake_openai: FakeOpenAI) -> None:
    store = Store()
    fake_openai.always = Behaviour.too_long()
    seen = gather_blocking([_failure(model(store)), _failure(model(store))])
    assert seen == [True, True]
    assert len(fake_openai.requests) == 1
    assert not store


async def _failure(chat: ChatModel) -> bool:
    try:
        await ask(chat, "a")
    except Exception as failure:  # noqa: BLE001 - whatever it is, both must see it
        return getattr(failure, "too_long", False)
    return False


def test_a_stored_reply_comes_back_as_it_was() -> None:
    reply = Reply("text", Usage(1, 2, 0.5), 1.5, 0.25, "stop", ("a note",), attempts=3, waited_s=2.0)
    kept = Reply.from_json(reply.as_json())
    assert kept == Reply("text", Usage(1, 2, 0.5), 1.5, 0.25, "stop", ("a note",), kept=True)
