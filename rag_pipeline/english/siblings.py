"""Words that exclude each other: antonyms, words with a negating prefix, words of a kind (Monday and Tuesday)."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import permutations

from rag_pipeline.english.antonyms import antonyms
from rag_pipeline.english.lemmas import dictionary_form
from rag_pipeline.english.words import stem, word_list

_NEGATING = ("un", "in", "im", "il", "ir", "dis", "non")
_FEWEST_LETTERS = 4
"""Letters of a root before which a prefix negates: legal, illegal."""


def root(word: str) -> str:
    """Return what the forms of a word in lower case share: increases, increased."""
    return stem(dictionary_form(word))


def exclude(one: str, other: str) -> bool:
    """Tell whether two roots exclude each other."""
    shorter, longer = sorted((one, other), key=len)
    negated = len(shorter) >= _FEWEST_LETTERS and longer.endswith(shorter) and longer[: -len(shorter)] in _NEGATING
    return negated or other in rivals().get(one, frozenset())


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
