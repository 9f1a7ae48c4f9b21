"""What is refused before anything is sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_pipeline import runtime as limits
from rag_pipeline.errors import ConfigError
from rag_pipeline.llm.preflight import check_model
from tests.fake_openai import FakeOpenAI


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.mark.parametrize(
    ("llm", "words"),
    [
        ("openai:gpt-4.1-mini", "Set OPENAI_API_KEY"),
        ("opnai:gpt-4.1-mini", "no model provider called “opnai”"),
        ("anthropic:claude-sonnet-4-5", "pip install langchain-anthropic"),
    ],
)
def test_refuses_what_cannot_work(llm: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        check_model(llm)
    assert caught.value.field == "llm"


def test_refuses_an_address_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:11434")
    with pytest.raises(ConfigError, match="no web address") as caught:
        check_model("openai:nomic-embed-text", "embedding")
    assert caught.value.field == "embedding"


def test_asks_nobody(fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", fake_openai.base_url)
    check_model("openai:anything")
    check_model("builtin:extractive")
    check_model("azure_openai:deployment")
    assert fake_openai.requests == []


def test_a_wrong_price_file_is_told_before_anything_is_paid_for(
    fake_openai: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"gpt-test": 3}')
    monkeypatch.setattr(limits, "_configured", limits.ModelLimits(prices_file=prices))
    with pytest.raises(ConfigError, match=r"prices\.json is not of the form"):
        check_model("openai:gpt-test")
    assert fake_openai.requests == []
