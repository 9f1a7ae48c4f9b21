"""Syllables of a number in figures, as it is read aloud in English."""

from __future__ import annotations

import re

_SMALL = (2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 3, 1, 2, 2, 2, 2, 3, 2, 2)
"""zero, one, two … nineteen."""
_TENS = (0, 0, 2, 2, 2, 2, 2, 3, 2, 2)
"""twenty, thirty … ninety."""
_HUNDRED, _OH, _POINT = 2, 1, 1
_LONGEST = 12
_YEAR = re.compile(r"1[1-9]\d\d|20[1-9]\d")


def numeral_syllables(figures: str) -> int:
    """Return the syllables of a number such as `1918` (nineteen eighteen), `2,500` or `3.14` (digit by digit after
    the point), at least 1.
    """
    whole, point, fraction = figures.replace(",", "").partition(".")
    syllables = _whole(whole)
    if point:
        syllables += _POINT + sum(_digits(part) for part in fraction.split("."))
    return max(1, syllables)


def _whole(figures: str) -> int:
    if _YEAR.fullmatch(figures):
        first, last = int(figures[:2]), int(figures[2:])
        if last == 0:
            return _below_thousand(first) + _HUNDRED
        return _below_thousand(first) + (_OH if last < 10 else 0) + _below_thousand(last)
    if len(figures) > _LONGEST or not figures.isascii():
        return _digits(figures)
    return _spoken(int(figures)) if int(figures) else _SMALL[0]


def _spoken(number: int) -> int:
    syllables, groups = 0, 0
    while number:
        number, group = divmod(number, 1000)
        if group:
            syllables += _below_thousand(group) + (2 if groups else 0)  # thousand, million, billion: two each
        groups += 1
    return syllables


def _below_thousand(number: int) -> int:
    hundreds, rest = divmod(number, 100)
    syllables = _SMALL[hundreds] + 2 if hundreds else 0
    if rest < 20:
        return syllables + (_SMALL[rest] if rest else 0)
    tens, ones = divmod(rest, 10)
    return syllables + _TENS[tens] + (_SMALL[ones] if ones else 0)


def _digits(figures: str) -> int:
    return sum(_SMALL[int(digit)] for digit in figures)
