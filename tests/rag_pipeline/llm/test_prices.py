"""Prices: hand-worked dollars, and None where nobody knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag_pipeline.errors import ConfigError
from rag_pipeline.generators.chat import ChatGenerator
from rag_pipeline.llm.prices import cost_usd, own_prices
from rag_pipeline.llm.target import Target
from rag_pipeline.runtime import ModelLimits
from rag_pipeline.types import GenerationRequest
from tests.fake_openai import Behaviour, FakeOpenAI

LOCAL = Target("openai", "gpt-4.1-mini", "http://localhost:8000/v1")


@pytest.fixture
def prices_file(tmp_path: Path) -> Path:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"llama3.1": {"input": 2.0, "output": 8.0}, "groq:x": {"input": 1, "output": 0}}))
    return path


def test_a_listed_price_is_per_million_tokens() -> None:
    # gpt-4.1-mini: 0.40 in, 1.60 out
    assert cost_usd(Target("openai", "gpt-4.1-mini"), 1_000_000, 100_000) == pytest.approx(0.40 + 0.16)


def test_cached_tokens_are_cheaper() -> None:
    # 1,000,000 in, of which 400,000 cached at 0.10
    cost = cost_usd(Target("openai", "gpt-4.1-mini"), 1_000_000, 0, cached_tokens=400_000)
    assert cost == pytest.approx(0.6 * 0.40 + 0.4 * 0.10)


@pytest.mark.parametrize(
    "target", [Target("openai", "no-such-model"), Target("no_such_provider", "gpt-4.1-mini"), LOCAL]
)
def test_an_unknown_price_is_none(target: Target) -> None:
    assert cost_usd(target, 1000, 1000) is None


def test_openai_by_its_full_address_has_its_list_price() -> None:
    target = Target("openai", "gpt-4.1-mini", "https://api.openai.com/v1")
    assert cost_usd(target, 1_000_000, 0) == pytest.approx(0.40)


def test_other_names_of_a_provider_find_its_prices() -> None:
    assert cost_usd(Target("anthropic", "claude-sonnet-4-5"), 100_000, 0) == pytest.approx(0.30)
    assert cost_usd(Target("mistralai", "mistral-small-latest"), 1_000_000, 0)


def test_own_prices_go_first(prices_file: Path) -> None:
    local = Target("openai", "llama3.1", "http://localhost:8000/v1")
    assert cost_usd(local, 500_000, 100_000, prices_file=prices_file) == pytest.approx(1.0 + 0.8)
    assert cost_usd(Target("groq", "x"), 1_000_000, 5, prices_file=prices_file) == pytest.approx(1.0)


@pytest.mark.parametrize("text", ["", "[]", '{"m": 3}', '{"m": {"input": 1}}', '{"m": {"input": -1, "output": 1}}'])
def test_a_wrong_price_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"prices\.json is not of the form"):
        own_prices(path)


def test_an_absent_price_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        own_prices(tmp_path / "none.json")


async def test_an_answer_carries_its_cost(fake_openai: FakeOpenAI, prices_file: Path) -> None:
    fake_openai.next(Behaviour.says("two words"))
    request = GenerationRequest("q", (), "one two three", "{question}", "no", use_context=False)
    result = await ChatGenerator("openai", "llama3.1", limits=ModelLimits(prices_file=prices_file)).generate(request)
    assert result.usage.cost_usd == pytest.approx((3 * 2.0 + 2 * 8.0) / 1e6)
