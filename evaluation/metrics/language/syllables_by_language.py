"""Syllables of words in languages beside English: by hyphenation patterns (pyphen), and vowels inside their parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyphen import Pyphen

_VOWELS = "aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýÿаеёиоуыэюя"
_GROUPS = re.compile(rf"[{_VOWELS}]+")
_STRONG = "aeoáàâéèêóòô"
_ROMANCE_HIATUS = re.compile(rf"(?<=[{_STRONG}])(?=[{_STRONG}])|(?<=[{_VOWELS}])(?=[íú])|(?<=[íú])(?=[{_VOWELS}])")
"""Where neighbouring vowels of Spanish, Italian and Portuguese are spoken apart: a é re o, o ír, pa ís."""
_SILENT_E = re.compile(rf"(?<=[^{_VOWELS}])(?:e|es|ent)$|(?<=[gq])u(?:e|es|ent)$")
"""The e at the end of French words is not spoken, nor is that of the verbs' -ent."""
_Y_BETWEEN = re.compile(rf"(?<=[{_VOWELS}])y(?=[{_VOWELS}])")
_LONG_WORD = 60


@dataclass(frozen=True, slots=True)
class _Spoken:
    """How a language is counted: its patterns, and what its vowels do."""

    patterns: str
    hiatus: bool = False
    silent_e: bool = False
    every_vowel: bool = False


_LANGUAGES = {
    "de": _Spoken("de_DE"),
    "es": _Spoken("es", hiatus=True),
    "fr": _Spoken("fr", silent_e=True),
    "it": _Spoken("it_IT", hiatus=True),
    "nl": _Spoken("nl_NL"),
    "pt": _Spoken("pt_PT", hiatus=True),
    "ru": _Spoken("ru_RU", every_vowel=True),
}


@lru_cache(maxsize=65536)
def syllables_in(word: str, language: str) -> int:
    """Return the syllables of a word, at least 1. Raises KeyError for a language that is not counted here."""
    spoken = _LANGUAGES[language]
    plain = word.lower()[:_LONG_WORD]
    if spoken.every_vowel:
        return max(1, sum(letter in _VOWELS for letter in plain))
    if spoken.silent_e and len(_GROUPS.findall(plain)) > 1:
        plain = _SILENT_E.sub("", plain)
    parts = _patterns(spoken.patterns).inserted(_Y_BETWEEN.sub("-", plain)).split("-")
    if spoken.hiatus:
        parts = [piece for part in parts for piece in _ROMANCE_HIATUS.sub("-", part).split("-")]
    return max(1, sum(len(_GROUPS.findall(part)) for part in parts))


@cache
def _patterns(name: str) -> Pyphen:
    from pyphen import Pyphen

    return Pyphen(lang=name, left=1, right=1)
