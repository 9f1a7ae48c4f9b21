"""Where a text stands in another word for word, white space aside."""

from __future__ import annotations

import re
from collections.abc import Iterable

Place = tuple[int, int]
"""First character, and the one after the last."""


def find_all(text: str, quote: str) -> list[Place]:
    """Return every place of `quote` in `text` that does not overlap the one before; empty for an empty quote."""
    words = quote.split()
    if not words:
        return []
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words))
    return [match.span() for match in pattern.finditer(text)]


def covered(places: Iterable[Place], start: int, end: int) -> int:
    """Return how many characters from `start` to `end` lie in one of `places`."""
    inside: set[int] = set()
    for first, last in places:
        inside.update(range(max(first, start), min(last, end)))
    return len(inside)
