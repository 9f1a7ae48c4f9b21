"""Many patterns as one, for whether any of them is found."""

from __future__ import annotations

from collections.abc import Iterable

_BEGINNINGS = (r"\b", r"^\W*")


def any_of(patterns: Iterable[str], *further: str) -> str:
    """Return one pattern that is found wherever any of the patterns is.

    What many of them begin with (`further` beginnings, a word's edge, the start of the text) is looked for once for
    all. No pattern may have a | outside brackets.
    """
    found: dict[str, list[str]] = {}
    for pattern in patterns:
        beginning = next((each for each in (*further, *_BEGINNINGS) if pattern.startswith(each)), "")
        found.setdefault(beginning, []).append(f"(?:{pattern.removeprefix(beginning)})")
    return "|".join(f"{beginning}(?:{'|'.join(rest)})" for beginning, rest in found.items())
