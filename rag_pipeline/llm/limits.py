"""How patiently model providers are called, and where the user's own prices are; set once when the app starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """Patience with a model provider.

    `timeout_s` is the longest silence: before the first token, and between any two. `max_retries` counts the attempts
    after the first. The wait before retry n is about `first_wait_s` * 2ⁿ⁻¹, at most `longest_wait_s`; a provider that
    asks for more than `longest_wait_s` is not waited for. `prices_file` holds the user's prices (see prices.py).
    """

    timeout_s: float = 60.0
    max_retries: int = 4
    first_wait_s: float = 0.5
    longest_wait_s: float = 60.0
    prices_file: Path | None = None


_configured = ModelLimits()


def configure(limits: ModelLimits) -> None:
    """Set the limits of every model made from now on. Called once, when the app starts."""
    global _configured
    _configured = limits


def configured_limits() -> ModelLimits:
    """Return the limits in force."""
    return _configured
