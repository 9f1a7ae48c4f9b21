"""Where a quotation stands in a text, also when it was not copied exactly."""

from __future__ import annotations

import re
import unicodedata

_SAME = str.maketrans(dict.fromkeys("“”„«»", '"') | dict.fromkeys("’‘`", "'") | dict.fromkeys("–—‑−", "-"))
_LEFT_OUT = re.compile(r"\s*(?:\[\s*)?(?:\.{3}|…)(?:\s*\])?\s*")
_AROUND = " \t\n\"'“”„‘’«»`"
_SHORTEST_PART = 12


def find_quote(text: str, quote: str) -> list[tuple[int, int]]:
    """Return the places (start, end) of a quotation in `text`, in order; empty where it is not there.

    First exactly, then without regard to case, white space and the shape of quotation marks and dashes. A quotation
    with "..." in it has several places: one for each part.
    """
    whole = _place(text, quote)
    if whole is not None:
        return [whole]
    parts = [part for part in _LEFT_OUT.split(quote) if part.strip(_AROUND)]
    if len(parts) < 2 or any(len(part) < _SHORTEST_PART for part in parts):
        return []
    places: list[tuple[int, int]] = []
    for part in parts:
        place = _place(text, part, places[-1][1] if places else 0)
        if place is None:
            return []
        places.append(place)
    return places


def _place(text: str, quote: str, start: int = 0) -> tuple[int, int] | None:
    for candidate in (quote.strip(), quote.strip(_AROUND)):
        if candidate and (at := text.find(candidate, start)) >= 0:
            return at, at + len(candidate)
    return _place_normalised(text, quote.strip(_AROUND), start)


def _place_normalised(text: str, quote: str, start: int) -> tuple[int, int] | None:
    haystack, origins = _normalise(text[start:])
    needle, _ = _normalise(quote)
    needle = needle.strip()
    at = haystack.find(needle) if needle else -1
    if at < 0:
        return None
    return start + origins[at], start + origins[at + len(needle) - 1] + 1


def _normalise(text: str) -> tuple[str, list[int]]:
    """Return the text in one case with single spaces, and for each of its characters where it came from."""
    letters: list[str] = []
    origins: list[int] = []
    for position, letter in enumerate(text):
        plain = " " if letter.isspace() else unicodedata.normalize("NFKC", letter.translate(_SAME)).casefold()
        if plain == " " and letters and letters[-1] == " ":
            continue
        letters.extend(plain)
        origins.extend([position] * len(plain))
    return "".join(letters), origins
