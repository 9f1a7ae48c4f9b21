"""Numbers as a text writes them, in figures or in words, to one form: 2,000 and two thousand are both `2000`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

_SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = ["third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"]
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_WORDS = (
    {word: value for value, word in enumerate(_SMALL)}
    | {word: 20 + 10 * place for place, word in enumerate(_TENS)}
    | {word: place for place, word in enumerate(_ORDINALS, start=3)}
    | {"dozen": 12}
)

_SCALE = rf"(?:{'|'.join(_SCALES)})"
_LONGEST_FIRST = sorted(_WORDS, key=len, reverse=True)
_WORD = rf"(?:(?:{'|'.join(_TENS)})(?:\s?-\s?(?:{'|'.join(_SMALL[1:10])}))?|{'|'.join(_LONGEST_FIRST)})"
_FIGURES = r"\d{1,3}(?:\s?,\s?\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?"
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<figures>{_FIGURES})(?P<tail>(?:st|nd|rd|th|s)\b)?(?P<scale>(?:[\s-]{_SCALE}s?\b)*)"
    rf"|\b(?P<word>{_WORD})\b(?P<scales>(?:[\s-]{_SCALE}s?\b)*)",
    re.IGNORECASE,
)


_LONGEST_SIGN = 8
_BELOW_ZERO = re.compile(r"(?:(?<![^\s(])(?<!\d\s)[-−]|\bminus\s)$", re.IGNORECASE)
"""What stands before a number below zero: not the dash of *3-5* or *3 -5*."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number at `start`..`end` of its text; `value` in plain figures."""

    start: int
    end: int
    value: str


def numbers_in(text: str) -> Iterator[Number]:
    """Yield the numbers of a text in order; a lone *one* is a pronoun more often than a number and is none."""
    for match in _NUMBER.finditer(text):
        scale = match["scale"] or match["scales"] or ""
        if match["figures"]:
            value = Decimal(re.sub(r"[\s,]", "", match["figures"]))
        else:
            word = match["word"].lower()
            if word == "one" and not scale:
                continue
            value = Decimal(sum(_WORDS[part] for part in re.split(r"[\s-]+", word)))
        for part in re.findall(r"[a-z]+", scale.lower()):
            value *= _SCALES[part.removesuffix("s")]
        decade = "s" if (match["tail"] or "").lower() == "s" else ""
        below = _BELOW_ZERO.search(text[max(0, match.start() - _LONGEST_SIGN) : match.start()])
        start = match.start() - len(below.group()) if below else match.start()
        yield Number(start, match.end(), "-" * bool(below) + _plain(value) + decade)


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
