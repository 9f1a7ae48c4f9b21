"""Where claims stand in a text word for word, so that they can be highlighted there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from evaluation.judge.claims.table import Claim, Verdict
from rag_pipeline.english.tokens import UNSPACED

Place = tuple[int, int]
"""First character, and the one after the last."""

_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_QUOTED = re.compile(r"[“\"«„]([^“”\"«»„]{3,}?)[”\"»“]")
SHORTEST = 3
"""Words that claim and text must have in common, one after the other."""


class TextPlaces:
    """Finds claims in one text, whatever the case and the signs between words."""

    def __init__(self, text: str) -> None:
        self._spans = [match.span() for match in _WORD.finditer(text)]
        self._matcher = SequenceMatcher(None, autojunk=False)
        self._matcher.set_seq2(_words(text))  # what it knows of the text is kept for all claims

    def of(self, claim: Claim, verdict: Verdict | None = None) -> Place | None:
        """Return where the text says what is claimed: the words that the judge quotes, else the longest run in common.

        None where less than half of the claim stands there in one run.
        """
        for quote in _QUOTED.findall(verdict.reason) if verdict else ():
            words = _words(quote)
            place = self._longest(words, len(words))
            if place:
                return place
        words = _words(claim.text)
        return self._longest(words, min(len(words), max(SHORTEST, len(words) // 2)))

    def _longest(self, words: Sequence[str], least: int) -> Place | None:
        self._matcher.set_seq1(words)
        run = self._matcher.find_longest_match()
        if not words or run.size < least:
            return None
        return self._spans[run.b][0], self._spans[run.b + run.size - 1][1]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
