"""Context budget: how many of the contexts, from the best on, fit into so many tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def within_budget(texts: Sequence[str], budget: int, count: Callable[[str], int]) -> int:
    """Return how many of the first texts together have at most `budget` tokens; 0 = no limit, all of them."""
    if not budget:
        return len(texts)
    total = 0
    for kept, text in enumerate(texts):
        total += count(text)
        if total > budget:
            return kept
    return len(texts)
