"""Prices: what a call cost in US dollars, by the bundled price list or the user's own; None where unknown."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from rag_pipeline.errors import ConfigError
from rag_pipeline.llm.target import LOCAL, Target

# LangChain's names of providers where the price list has another.
_LIST_NAMES = {
    "anthropic_bedrock": "aws",
    "azure_ai": "azure",
    "azure_openai": "azure",
    "bedrock": "aws",
    "bedrock_converse": "aws",
    "google_anthropic_vertex": "google",
    "google_genai": "google",
    "google_vertexai": "google",
    "mistralai": "mistral",
    "xai": "x-ai",
}
_PER = 1_000_000


def cost_usd(
    target: Target,
    prompt_tokens: int,
    completion_tokens: int,
    *,
    cached_tokens: int = 0,
    prices_file: Path | None = None,
) -> float | None:
    """Return the price of a call; the user's own prices go before the list. Raises ConfigError for a wrong file.

    The list is not asked for a compatible server: a model there may have any name and costs what its owner says.
    """
    own = own_prices(prices_file) if prices_file else {}
    price = own.get(target.setting) or own.get(target.name)
    if price is not None:
        return (prompt_tokens * price[0] + completion_tokens * price[1]) / _PER
    if target.provider == LOCAL:
        return 0.0
    if target.is_compatible_server:
        return None
    return _listed(target, prompt_tokens, completion_tokens, min(cached_tokens, prompt_tokens))


def own_prices(path: Path) -> dict[str, tuple[float, float]]:
    """Return model -> (input, output) in dollars per million tokens from the user's file.

    The form: `{"my-model": {"input": 0.15, "output": 0.6}}`, the key a model's name or provider:name.
    """
    try:
        return _read_prices(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise ConfigError(f"The price file {path} cannot be read. Correct WORKBENCH_PRICES.") from error


@lru_cache(maxsize=8)
def _read_prices(path: Path, changed_ns: int) -> dict[str, tuple[float, float]]:
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        prices = {str(model): (float(each["input"]), float(each["output"])) for model, each in given.items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConfigError(_wrong_file(path)) from error
    if any(not 0 <= price < float("inf") for pair in prices.values() for price in pair):
        raise ConfigError(_wrong_file(path))
    return prices


def _wrong_file(path: Path) -> str:
    return (
        f"The price file {path} is not of the form "
        '{"model": {"input": 0.15, "output": 0.6}}, in US dollars per million tokens. Correct it.'
    )


def _listed(target: Target, prompt_tokens: int, completion_tokens: int, cached_tokens: int) -> float | None:
    from genai_prices import Usage, calc_price

    provider = _LIST_NAMES.get(target.provider, target.provider)
    usage = Usage(input_tokens=prompt_tokens, output_tokens=completion_tokens, cache_read_tokens=cached_tokens)
    try:
        return float(calc_price(usage, target.name, provider_id=provider).total_price)
    except LookupError:
        return None
