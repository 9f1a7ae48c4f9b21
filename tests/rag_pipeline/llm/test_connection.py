"""Test connection: what the user reads."""

from __future__ import annotations

import re

import pytest

from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.llm.connection import test_connection as connection_report
from tests.fake_openai import Behaviour, FakeOpenAI


async def test_says_that_the_model_answered(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.says("ready"))
    said = await connection_report("openai:llama3.1")
    assert re.fullmatch(r"llama3\.1 answered in \d\.\d s\. Its price is unknown\.", said)
    assert len(fake_openai.requests) == 1


async def test_says_what_the_model_does_not_accept(fake_openai: FakeOpenAI) -> None:
    fake_openai.rejects = {"temperature"}
    assert "Temperature was left out" in await connection_report("openai:o9")


async def test_the_builtin_reader_needs_none() -> None:
    assert "needs no connection" in await connection_report("builtin:extractive")


async def test_a_rejected_key_is_told_at_once(fake_openai: FakeOpenAI) -> None:
    fake_openai.key = "another"
    with pytest.raises(ProviderError, match="rejected the key"):
        await connection_report("openai:gpt-4.1-mini")


@pytest.mark.parametrize("setting", ["", "gpt-4.1-mini", "openai:", ":x"])
async def test_a_setting_without_its_halves_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError, match="not of the form provider:model"):
        await connection_report(setting)
