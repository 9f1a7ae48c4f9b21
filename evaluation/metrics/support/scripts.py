"""In which script a text is written."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

_LOOKED_AT = 400


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


def _named(script: str) -> str:
    return {"CJK": "Chinese"}.get(script, script.capitalize())
