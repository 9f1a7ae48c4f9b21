"""Where a text stands in another word for word, white space aside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_WORD = re.compile(r"\S+")


class VerbatimText:
    """A text in which many quotations are looked up."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._origins: list[int] = []
        words: list[str] = []
        for match in _WORD.finditer(text):
            if words:
                self._origins.append(match.start())  # the space before the word
            words.append(match.group())
            self._origins.extend(range(*match.span()))
        self._plain = " ".join(words)

    def has(self, quote: str) -> bool:
        """True where the quotation stands in the text; never for an empty one."""
        plain = " ".join(quote.split())
        return bool(plain) and plain in self._plain

    def covered_by(self, quotes: Iterable[str]) -> bytearray:
        """Return, for each character of the text, 1 where a quotation covers it, else 0."""
        mask = bytearray(self._length)
        for quote in quotes:
            for start, end in self._places(" ".join(quote.split())):
                mask[start:end] = b"\x01" * (end - start)
        return mask

    def _places(self, plain: str) -> Iterator[tuple[int, int]]:
        at = self._plain.find(plain) if plain else -1
        while at >= 0:
            end = at + len(plain)
            yield self._origins[at], self._origins[end - 1] + 1
            at = self._plain.find(plain, end)
