"""The script that a text is written in: Latin, Cyrillic, Chinese …, and whether it separates words by spaces."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from rag_pipeline.english.tokens import UNSPACED_CHARACTER

_LOOKED_AT = 400
"""Letters of a text that are looked at."""
_LETTER = re.compile(r"[^\W\d_]")
_LATIN_LETTER = re.compile(r"[A-Za-zªºÀ-ÖØ-öø-ɏḀ-ỿ]")
_FEWEST_LATIN = 0.8
"""Share of Latin letters from which a text is in Latin script: it may name a Greek letter or a place."""


@lru_cache(maxsize=4096)
def scripts(text: str) -> Counter[str]:
    """Return how many letters of each script the beginning of a text has: LATIN, CJK, ARABIC, CYRILLIC …"""
    letters = (character for character in text[: 4 * _LOOKED_AT] if character.isalpha())
    return Counter(
        unicodedata.name(letter, "?").split()[0].split("-")[0]
        for letter, _ in zip(letters, range(_LOOKED_AT), strict=False)
    )


def main_script(text: str) -> str:
    """Return the script of most letters, empty where there is none."""
    return next((name for name, _ in scripts(text).most_common(1)), "")


def is_plain_english_script(text: str) -> bool:
    """True for a text in Latin letters, or without letters: what the default embedding was trained on."""
    return main_script(text) in ("LATIN", "")


def script_barrier(text: str, others: Sequence[str]) -> str:
    """Return why `text` cannot be compared with `others`, empty where one of them has letters of its script."""
    mine = main_script(text)
    written = [scripts(other) for other in others if main_script(other)]
    if not mine or not written or any(mine in found for found in written):
        return ""
    theirs = main_script(max(others, key=len))
    return f"written in {_named(mine)}, compared with {_named(theirs)}: their words cannot be matched"


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


def _named(script: str) -> str:
    return {"CJK": "Chinese"}.get(script, script.capitalize())
