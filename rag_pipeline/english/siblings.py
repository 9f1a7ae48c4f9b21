"""Words that exclude each other: antonyms, words with a negating prefix, words of a kind (Monday and Tuesday)."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, lru_cache
from itertools import permutations

from rag_pipeline.english.antonyms import antonyms
from rag_pipeline.english.lemmas import dictionary_form
from rag_pipeline.english.words import stem, word_list

_NEGATING = ("un", "in", "im", "il", "ir", "dis", "non")
_FEWEST_LETTERS = 4
"""Letters of a root before which a prefix negates: legal, illegal."""


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """Return what the forms of a word in lower case share: increases, increased."""
    return stem(dictionary_form(word))


@lru_cache(maxsize=65536)
def excluded_by(one: str) -> frozenset[str]:
    """Return the roots that a root excludes: those of the shipped lists, and itself with or without a negation."""
    found = set(rivals().get(one, ()))
    if len(one) >= _FEWEST_LETTERS:
        found.update(prefix + one for prefix in _NEGATING)
    bare = (one.removeprefix(prefix) for prefix in _NEGATING if one.startswith(prefix))
    return frozenset(found.union(root for root in bare if len(root) >= _FEWEST_LETTERS))


@cache
def rivals() -> dict[str, frozenset[str]]:
    """Return the roots that the shipped lists give as excluding each root."""
    found: dict[str, set[str]] = defaultdict(set)
    for word, others in antonyms().items():
        found[root(word)].update(map(root, others))
    for line in word_list("siblings"):
        for kind, rest in permutations((each.split("/") for each in line.split()), 2):
            for word in kind:
                found[root(word)].update(map(root, rest))
    return {word: frozenset(others - {word}) for word, others in found.items()}
