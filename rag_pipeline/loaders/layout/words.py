"""Words that a PDF has broken: ligatures of which a letter is lost, words parted at the end of a line.

A lost ligature shows by its width: an f that is wider than the others of its font stands for fi, fl, ff, ffi or ffl,
and a word list says for which. Files whose fonts tell no widths are mended by the list alone, and only when several
words ask for it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from rag_pipeline.loaders.layout.page import Page

LOST = "\ue0f1"
"""Stands behind an f whose ligature is lost, until the whole word is known."""

_SUFFIXES = (
    ("s", ""),
    ("es", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("ed", ""),
    ("d", ""),
    ("ing", ""),
    ("ing", "e"),
    ("ly", ""),
)
_PREFIXES = ("re", "un", "non", "pre", "post", "over", "inter")
_WIDER = 1.08
_ENDINGS = ("i", "l", "f", "fi", "fl")
_MOST_LOST = 3
"""Ligatures of a word that are tried: each has five readings."""

_FEW_SLIPS = 4
_WORD = re.compile(rf"[^\W\d_]+(?:{LOST}[^\W\d_]*)+")
_F_WORD = re.compile(r"\b[a-z]*f[a-z]+\b")
_HYPHENED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_LEFT = re.compile(rf"([^\W_{LOST}](?:[^\W_]|{LOST})*)-$")
_RIGHT = re.compile(rf"(?:[^\W_]|{LOST})+")
_TYPOGRAPHIC = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_SIGNS = _TYPOGRAPHIC | {0xAD: "-", 0x2010: "-", 0xFFFE: None, 0xFFFF: None, 0xFEFF: None, 0x200B: None, 0x7F: None}


def mark_lost_ligatures(pages: Iterable[Page]) -> None:
    """Put `LOST` behind every f that is too wide for one; write ligatures that have a character of their own out."""
    pages = list(pages)
    widths: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        for piece in page.pieces:
            widths[piece.font.name] += [width for _, width in piece.f_widths]
    plain = {name: min(known) for name, known in widths.items() if known}
    for page in pages:
        for piece in page.pieces:
            text = piece.text
            for at, width in reversed(piece.f_widths):
                if width > _WIDER * plain[piece.font.name]:
                    text = f"{text[: at + 1]}{LOST}{text[at + 1 :]}"
            piece.text = text.translate(_SIGNS)


class Mender:
    """Mends the words of one document; knows which words it writes itself."""

    def __init__(self, lines: Iterable[str]) -> None:
        text = "\n".join(lines).lower()
        self._written = Counter(_HYPHENED.findall(text.replace(LOST, "")))
        self._marked = LOST in text
        guessed = {word for word in set(_F_WORD.findall(text)) if self._guess(word) != word}
        self._guessing = not self._marked and len(guessed) >= _FEW_SLIPS

    def line(self, text: str, following: str) -> tuple[str, str]:
        """Join two lines of a paragraph: return (what the first becomes, what goes before the second)."""
        left, right = _LEFT.search(text), _RIGHT.match(following)
        if not left or not right:
            bare = text.endswith("—") or (text.endswith("–") and following[:1].isdigit())
            return text, "" if bare or not following else " "
        return (text[:-1], "") if self._one_word(left.group(1), right.group()) else (text, "")

    def mended(self, text: str) -> str:
        """Return a paragraph with the lost letters put back where a single word fits."""
        if LOST in text:
            text = _WORD.sub(lambda match: self._restored(match.group()), text).replace(LOST, "")
        elif self._guessing:
            text = _F_WORD.sub(lambda match: self._guess(match.group()), text)
        return text

    def _one_word(self, left: str, right: str) -> bool:
        """Return whether a hyphen at a line end only parts a word; a word that is written with one keeps it."""
        if left[-1].isdigit() or not right[0].islower():
            return False
        left, right = (self.mended(part).lower() for part in (left, right))
        plain, hyphened = left + right, f"{left}-{right}"
        if self._written[plain] or self._written[hyphened]:
            return bool(self._written[plain]) or not self._written[hyphened]
        return is_word(plain) or not (is_word(left) and is_word(right) and len(left) > 2 and len(right) > 2)

    def _restored(self, word: str) -> str:
        if word.count(LOST) > _MOST_LOST:
            return word.replace(LOST, "")
        readings = [""]
        for part in re.split(f"({LOST})", word):
            endings = _ENDINGS if part == LOST else (part,)
            readings = [reading + ending for reading in readings for ending in endings]
        known = [reading for reading in readings if is_word(reading.lower())]
        return known[0] if len(known) == 1 else word.replace(LOST, "")

    def _guess(self, word: str) -> str:
        if is_word(word):
            return word
        known = {
            word[: at + 1] + ending + word[at + 1 :]
            for at, letter in enumerate(word)
            if letter == "f"
            for ending in _ENDINGS
            if is_word(word[: at + 1] + ending + word[at + 1 :])
        }
        return known.pop() if len(known) == 1 else word


def is_word(word: str) -> bool:
    """Return whether the word lists know an English word in lower case, or what it is an inflected form of."""
    known = _word_list()
    return word in known or any(stem in known for stem in _stems(word))


def _stems(word: str) -> Iterator[str]:
    """Yield what a longer word may be formed of."""
    if len(word) > 5:
        for ending, instead in _SUFFIXES:
            if word.endswith(ending):
                yield word.removesuffix(ending) + instead
        for beginning in _PREFIXES:
            rest = word.removeprefix(beginning)
            if rest != word and len(rest) > 3:
                yield rest


@lru_cache(maxsize=1)
def _word_list() -> frozenset[str]:
    """The reader's list of common words, and textblob's lexicon where that package is installed."""
    common = files("rag_pipeline.english").joinpath("word_lists", "common.txt").read_text(encoding="utf-8")
    words = {line for line in common.split("\n") if line and not line.startswith("#")}
    package = find_spec("textblob")
    for folder in package.submodule_search_locations or () if package else ():
        lexicon = Path(folder, "en", "en-lexicon.txt")
        if lexicon.is_file():
            entries = lexicon.read_text(encoding="utf-8").split("\n")
            words.update(entry.split(" ", 1)[0] for entry in entries if entry[:1].islower())
    return frozenset(word for word in words if len(word) > 1)
