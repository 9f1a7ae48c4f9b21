"""Ids that come from outside, in addresses and forms."""

from __future__ import annotations

_DIGITS = 18
"""So many digits fit every database's id."""


def as_id(text: str | None) -> int:
    """Return the id that a text names, 0 where it names none: no row has that."""
    return int(text) if text and len(text) <= _DIGITS and text.isascii() and text.isdecimal() else 0


def ids_of(text: str | None) -> list[int]:
    """Return the ids that a list such as 3,1,2 names, each once, in its order."""
    return list(dict.fromkeys(filter(None, map(as_id, (text or "").split(",")))))
