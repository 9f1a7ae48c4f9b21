"""Wording of messages: a number with its noun, a list."""

from __future__ import annotations

from collections.abc import Sequence


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, such as “1 word” or “2 words”."""
    return f"{count:,} {noun if count == 1 else f'{noun}s'}"


def listed(names: Sequence[str], word: str, comma: str = ",") -> str:
    """Return a list in words, such as “a or b” or “a, b, and c”."""
    if len(names) < 3:
        return f" {word} ".join(names)
    return f"{comma} ".join([*names[:-1], f"{word} {names[-1]}"])
