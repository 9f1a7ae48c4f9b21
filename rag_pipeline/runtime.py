"""What the engine is told of its surroundings, once, when the app starts: limits of model calls, folders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rag_pipeline.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """Patience with a model provider.

    `timeout_s` is the longest silence: before the first token, and between any two. `max_retries` counts the attempts
    after the first. The wait before retry n is about `first_wait_s` * 2ⁿ⁻¹, at most `longest_wait_s`; a provider that
    asks for more than `longest_wait_s` is not waited for. `concurrency` is the most calls in flight to one model.
    `prices_file` holds the user's prices (see prices.py).
    """

    timeout_s: float = 60.0
    max_retries: int = 4
    first_wait_s: float = 0.5
    longest_wait_s: float = 60.0
    concurrency: int = 256
    prices_file: Path | None = None


class ReplyStore(Protocol):
    """Where model replies are kept by the content of what was asked. Called by a thread, never in an event loop."""

    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the replies that are there, by key."""

    def put_many(self, replies: Mapping[str, dict[str, Any]]) -> None:
        """Keep replies, by key; where there is one already, the new one takes its place."""


_configured = ModelLimits()
_replies: ReplyStore | None = None
_models_folder: Callable[[], Path] | None = None
_readings_folder: Callable[[], Path] | None = None
_checksums_file: Callable[[], Path] | None = None
_small_model = True


def configure(limits: ModelLimits) -> None:
    """Set the limits of every model made from now on. Called once, when the app starts."""
    global _configured
    _configured = limits


def keep_replies_in(store: ReplyStore) -> None:
    """Say where the replies of every model made from now on are kept. Called once, when the app starts."""
    global _replies
    _replies = store


def configured_limits() -> ModelLimits:
    """Return the limits in force."""
    return _configured


def configured_replies() -> ReplyStore | None:
    """Return where model replies are kept by content; None where they are not."""
    return _replies


def set_models_folder(folder: Callable[[], Path]) -> None:
    """Say where tuned models lie: called once when the application starts."""
    global _models_folder
    _models_folder = folder


def models_folder() -> Path:
    """Return the folder that holds one folder for each tuned model. Raises ConfigError where none was set."""
    if _models_folder is None:
        raise ConfigError("No folder for tuned models is set. Start through manage.py.", "embedding")
    return _models_folder()


def set_readings_folder(folder: Callable[[], Path]) -> None:
    """Say where the built-in reader keeps what it has read: called once when the application starts."""
    global _readings_folder
    _readings_folder = folder


def readings_folder() -> Path | None:
    """Return the folder of what the built-in reader has read; None where nothing is kept."""
    return _readings_folder() if _readings_folder else None


def set_checksums_file(file: Callable[[], Path]) -> None:
    """Say where checksums of large files are kept: called once when the application starts."""
    global _checksums_file
    _checksums_file = file


def checksums_file() -> Path | None:
    """Return the SQLite file of the checksums of large files; None where they are not kept."""
    return _checksums_file() if _checksums_file else None


def set_small_model(used: bool) -> None:
    """Say whether the small language model is used where it is installed: called once when the application starts."""
    global _small_model
    _small_model = used


def uses_small_model() -> bool:
    """Tell whether the small language model is used where it is installed."""
    return _small_model
