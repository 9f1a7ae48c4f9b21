"""Words of a text with offsets and stems, and how rare a word is."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

_WORD = re.compile(r"\d+(?:[.,:]\d+)*(?:\w*)|\w+(?:['’](?!s\b)\w+)*(?:['’]s\b)?")
_RAREST = 30_000


@dataclass(frozen=True, slots=True)
class Word:
    """A word at `start`..`end` of its text; `lower` without possessive, `stem` for matching."""

    start: int
    end: int
    text: str
    lower: str
    stem: str

    @property
    def is_content(self) -> bool:
        """True for a word that carries meaning by itself."""
        return self.lower not in word_list("stop_words")

    @property
    def is_capital(self) -> bool:
        """True for a word that begins with a capital letter."""
        return self.text[0].isupper()


def words_of(text: str) -> list[Word]:
    """Return the words of `text` in order."""
    found = []
    for match in _WORD.finditer(text):
        lower = match.group().lower().replace("’", "'").removesuffix("'s")
        found.append(Word(match.start(), match.end(), match.group(), lower, stem(lower)))
    return found


@lru_cache(maxsize=50_000)
def stem(lower: str) -> str:
    """Return a light English stem: plural, past, -ing, -ly and doubled consonants taken off."""
    if len(lower) < 4 or not lower.isalpha():
        return lower.replace(",", "")
    word = lower
    for ending, put in (("ies", "y"), ("sses", "ss"), ("ied", "y"), ("ically", "ic"), ("ly", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            word = word.removesuffix(ending) + put
            break
    else:
        if word.endswith("s") and not word.endswith(("ss", "us", "is")):
            word = word[:-1]
    for ending in ("ing", "ed", "er"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and re.search("[aeiouy]", rest):
            word = rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "lsz" else rest
            break
    return word.removesuffix("e") if len(word) > 3 else word


def share_beginning(one: str, other: str) -> bool:
    """Tell whether two stems begin alike: in at least five letters and in most of the longer one."""
    shorter = min(len(one), len(other))
    common = next((place for place in range(shorter) if one[place] != other[place]), shorter)
    return common >= 5 and common >= 0.6 * max(len(one), len(other))


@cache
def word_list(name: str) -> dict[str, int]:
    """Return the words of the shipped list `name` with their place in it, counted from 1."""
    lines = (files("rag_pipeline.english") / "word_lists" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return {word: rank for rank, word in enumerate((line for line in lines if not line.startswith("#")), start=1)}


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list that is written as running text."""
    return frozenset(text.split())


def read_classes(name: str) -> dict[str, frozenset[str]]:
    """Return the shipped lists of words in `name`, one class a line: `class: words`."""
    pairs = (line.partition(":") for line in word_list(name))
    return {label: frozenset(words.split()) for label, _, words in pairs}


@lru_cache(maxsize=50_000)
def rarity(lower: str) -> float:
    """Return 0 (everyday word) to 1 (not among the common words): the logarithm of its frequency rank."""
    rank = word_list("common").get(lower, _RAREST)
    return math.log(rank) / math.log(_RAREST)
