"""Wording of messages: a number with its noun."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, such as “1 word” or “2 words”."""
    return f"{count:,} {noun if count == 1 else f'{noun}s'}"
