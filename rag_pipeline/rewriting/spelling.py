"""Spelling correction by the words of a corpus: for words that are neither in it nor common, but close to one in it.

Candidates are found without generating edits: words of about the same length whose sets of letters differ by little,
then the exact distance (optimal string alignment: a swap of neighbours is one edit). That needs one number a word, and
no index of deletions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import OSA

from rag_pipeline.english.lemmas import all_lemmas
from rag_pipeline.english.words import stem, word_list

_TOKEN = re.compile(r"(?<![\w@./\\#&+'’-])[^\W\d_]+(?![\w@/\\#&+_]|[.-]\w|['’](?!s\b)\w)")
"""A word that is all letters: no part of an address, a name with a dot, a code or a hyphenated word."""
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»|`[^`]*`")
_SENTENCE_START = re.compile(r"(?:\A|[.!?:]\s)[\s\"'“‘(]*\Z")
_PARTS = re.compile(r"[^\W\d_]+")
_MOST_UNKNOWN = 0.35
_SHORTEST = 4
_SHORTEST_TO_REPLACE = 5
_SHORTEST_WITH_TWO = 8
_SHORTEST_EVERYDAY = 6
_ENDINGS = ("s", "ed", "ing", "er", "ly")
_OPENERS = (
    "what when where which whose could would should please does after about before during between under since until "
    "explain describe list give tell"
)


class Spelling:
    """Corrects words by `counts`, how often each lower-case word occurs in the corpus."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts: dict[str, int] = {}
        for word, count in counts.items():
            for part in {word, *_PARTS.findall(word)}:
                self._counts[part] = self._counts.get(part, 0) + count
        self._corrections: dict[str, str] = {}

    def holds(self, lower: str) -> bool:
        """Tell whether the corpus has the word."""
        return lower in self._counts

    def correct(self, text: str) -> str:
        """Return `text` with its misspelt words corrected; all else, and every space, stays.

        Left alone: words of the corpus and everyday words with their inflections, short words, names (a capital inside
        a sentence, or all of it), words with digits, hyphens or apostrophes, addresses, what stands in quotes, and a
        text of which more than a third is unknown.
        """
        if not self._is_readable(text):
            return text
        quoted = [match.span() for match in _QUOTED.finditer(text)]

        def replace(match: re.Match[str]) -> str:
            if any(start <= match.start() < end for start, end in quoted):
                return match.group()
            return self._corrected_token(match.group(), _SENTENCE_START.search(text[: match.start()]) is not None)

        return _TOKEN.sub(replace, text)

    def _is_readable(self, text: str) -> bool:
        """Tell whether most words are known: a question in another language than the corpus is not misspelt."""
        words = [match.group().lower() for match in _TOKEN.finditer(text)]
        unknown = sum(not self.is_known(word) for word in words)
        return unknown <= 1 or unknown <= _MOST_UNKNOWN * len(words)

    def _corrected_token(self, token: str, opens: bool) -> str:
        lower = token.lower()
        if token == lower:
            return self.corrected(lower)
        if opens and token[1:] == lower[1:] and not self.is_known(lower):
            # A capital at the start says nothing: it may be a name, so that only words that open questions count.
            return _opener(lower).capitalize() or token
        return token

    def corrected(self, lower: str) -> str:
        """Return what a lower-case word was meant to be: itself when it is known or nothing is close."""
        if lower not in self._corrections:
            known = len(lower) < _SHORTEST or self.is_known(lower)
            self._corrections[lower] = lower if known else self._closest(lower) or _opener(lower) or lower
        return self._corrections[lower]

    def is_known(self, lower: str) -> bool:
        """Tell whether the corpus or everyday language has a word, or another form of it."""
        everyday = lower in word_list("common") or bool(all_lemmas(lower))
        inflected = lower.endswith(_ENDINGS) and stem(lower) in self._stems
        return lower in self._counts or everyday or inflected

    def _closest(self, lower: str) -> str:
        most = 2 if len(lower) >= _SHORTEST_WITH_TWO else 1
        best: tuple[tuple[int, bool, bool, int, str], str] | None = None
        for word in self._similar(lower, most):
            distance = OSA.distance(lower, word, score_cutoff=most)
            if distance <= most and self._may_be(lower, word, distance):
                count = self._counts.get(word, 0)
                key = (distance, count == 0, word[0] != lower[0], -count, word)
                best = min(best, (key, word)) if best else (key, word)
        return best[1] if best else ""

    def _may_be(self, lower: str, word: str, distance: int) -> bool:
        """Tell whether `word` may be meant: the shorter it is and the rarer the slip, the more of it must be there."""
        replaces = len(lower) == len(word) and sorted(lower) != sorted(word)
        if word not in self._counts and (distance > 1 or word[0] != lower[0] or len(lower) < _SHORTEST_TO_REPLACE):
            return False
        if replaces and len(lower) < (_SHORTEST_TO_REPLACE if word in self._counts else _SHORTEST_EVERYDAY):
            return False
        return distance == 1 or (word[0] == lower[0] and word[-1] == lower[-1])

    def _similar(self, lower: str, most: int) -> list[str]:
        own = np.uint32(_letters(lower))
        found: list[str] = []
        for length in range(len(lower) - most, len(lower) + most + 1):
            words, letters = self._by_length.get(length, _NONE)
            rows = np.flatnonzero(np.bitwise_count(letters ^ own) <= 2 * most)
            found.extend(words[row] for row in rows.tolist())
        return found

    @cached_property
    def _by_length(self) -> dict[int, tuple[list[str], npt.NDArray[np.uint32]]]:
        """Words that may be meant, with the set of their letters as bits, by length."""
        words: dict[int, list[str]] = {}
        for word in self._counts.keys() | word_list("common").keys():
            if len(word) >= _SHORTEST and word.isalpha():
                words.setdefault(len(word), []).append(word)
        return {size: (some, np.asarray([_letters(word) for word in some], np.uint32)) for size, some in words.items()}

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(stem(word) for word in self._counts)


_NONE: tuple[list[str], npt.NDArray[np.uint32]] = ([], np.zeros(0, np.uint32))


def _letters(word: str) -> int:
    """Return the set of a word's letters as 32 bits; letters of other alphabets may share one."""
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) & 31)
    return bits


def _opener(lower: str) -> str:
    """Return the word that opens questions of which this is a slip, or an empty text."""
    return next((word for word in _OPENERS.split() if _is_slip(lower, word)), "") if len(lower) >= _SHORTEST else ""


def _is_slip(lower: str, word: str) -> bool:
    swapped_or_lost = len(lower) != len(word) or sorted(lower) == sorted(word)
    likely = swapped_or_lost or len(lower) >= _SHORTEST_EVERYDAY
    return abs(len(lower) - len(word)) <= 1 and likely and OSA.distance(lower, word, score_cutoff=1) == 1
