"""Words of a text as measures of language count them."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+(?:['’‐‑-][^\W\d_]+)*|\d+(?:[.,]\d+)*")


def running_words(text: str) -> list[str]:
    """Return the words of a text: letters of any script, joined by apostrophes and hyphens, or a number."""
    return _WORD.findall(text)
