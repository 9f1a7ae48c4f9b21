"""The shipped antonyms."""

from __future__ import annotations

from functools import cache

from rag_pipeline.english.words import word_list


@cache
def antonyms() -> dict[str, frozenset[str]]:
    """Return the shipped antonyms of each word."""
    pairs = [line.split() for line in word_list("antonyms")]
    both = [*pairs, *([other, one] for one, other in pairs)]
    return {word: frozenset(other for one, other in both if one == word) for word, _ in both}
