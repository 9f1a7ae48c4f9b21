"""Message: what a model sent, whole or a piece of it, in one form for all providers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_MOST_TOKENS = 2**31 - 1

Heed = Callable[[Mapping[str, str]], None]
"""Told the headers of each response: some say how many more requests the server takes."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a call, None for what was not counted. `cached` are those of the prompt that the provider knew."""

    prompt: int | None = None
    completion: int | None = None
    cached: int = 0

    @classmethod
    def counted(cls, prompt: Any, completion: Any, cached: Any) -> Tokens:
        """Return a provider's numbers; no prompt has no tokens, so that 0 of them means: not counted."""
        return cls(_number(prompt) or None, _number(completion), _number(cached) or 0)


@dataclass(frozen=True, slots=True)
class Message:
    """A whole answer, or a piece of one: `tokens` then counts all pieces so far.

    `finish`: the provider's word for why the answer ended (`stop`, `length` ...), empty in the middle.
    """

    text: str = ""
    finish: str = ""
    tokens: Tokens | None = None


def _number(value: Any) -> int | None:
    """Return a number of tokens, None for what can be none."""
    return value if isinstance(value, int) and 0 <= value <= _MOST_TOKENS else None
