"""Words and scripts of a text, as measures of language count them."""

from __future__ import annotations

import re

from rag_pipeline.english.tokens import UNSPACED_CHARACTER

_WORD = re.compile(r"[^\W\d_]+(?:['’‐‑-][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_LETTER = re.compile(r"[^\W\d_]")
_LATIN_LETTER = re.compile(r"[A-Za-zªºÀ-ÖØ-öø-ɏḀ-ỿ]")
_FEWEST_LATIN = 0.8
"""Share of Latin letters from which a text is in Latin script: it may name a Greek letter or a place."""


def words_of(text: str) -> list[str]:
    """Return the words of a text: letters of any script, joined by apostrophes and hyphens, or a number."""
    return _WORD.findall(text)


def why_not_spaced(text: str) -> str:
    """Return why the words of a text cannot be counted, or an empty string."""
    letters = len(_LETTER.findall(text))
    if not letters:
        return "the answer has no words"
    if len(UNSPACED_CHARACTER.findall(text)) > (1 - _FEWEST_LATIN) * letters:
        return "the answer is in a script that does not separate words by spaces"
    return ""


def is_latin(text: str) -> bool:
    """Tell whether nearly all letters of a text are Latin."""
    letters = len(_LETTER.findall(text))
    return len(_LATIN_LETTER.findall(text)) >= _FEWEST_LATIN * letters
