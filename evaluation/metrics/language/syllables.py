"""Syllables of English words: a list for the words that break the rules, and the rules for all others."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files

_VOWELS = re.compile(r"[aeiouy]+")
_SILENT_END = re.compile(r"[^aeiouy]e$|[^aeiouycgsxz]es$|(?<![cs])hes$|[^aeiouydt]ed$")
"""The e of `make`, `makes`, `maked` is not heard;"""
_HEARD_END = re.compile(r"[^aeiouyl]l(?:e|es|ed)$|[cs]hes$|[cg]led$")
"""that of `table`, `tables`, `settled`, `dishes` is."""
_SILENT_INSIDE = re.compile(r"[aeiouy][^aeiouyl]+e(?=(?:ly|ments?|ful(?:ly)?|less(?:ly|ness)?|ness|some)$)")
_APART = re.compile(
    r"(?<![cgstx])(?<!ll)i[ao]|(?<=[cst])ia(?=te|ti)|iu|(?<![cgstx])ie(?=t|n[ct])|[aeiouy](?=ing)|[aeo]ism"
    r"|(?<![gq])u(?:al?|ou|i(?=n|t[ey]))|ue(?=t)|eo(?=n?s?$|[^nu])|(?<=cr)ea(?=t)|(?<=[aeiou][^aeiou])ea(?=s?$)"
    r"|^rea(?=c|l[il]|[^cdlrst])|[ao]y(?=[ao]|er)|ey(?=[ao])"
)
"""Neighbouring vowels that are spoken apart: `ratio`, `variate`, `being`, `usual`, `duet`, `area`, `royal`."""
_SYLLABIC_M = re.compile(r"[aeiouy]?sms?$|thms?$")
_LONG_WORD = 40
_FINAL_E_ACUTE = re.compile(r"é(?=e?s?$)")
"""The é of `café`, which is heard as no other e at the end is."""


def count_syllables(word: str) -> int:
    """Return the syllables of a word, at least 1; what is not a letter from a to z does not count.

    The list holds those words of the CMU Pronouncing Dictionary that the rules count wrongly, so that every word of
    its common part has the dictionary's own number.
    """
    spoken = _FINAL_E_ACUTE.sub("ay", word.lower())
    letters = re.sub(r"[^a-z]", "", unicodedata.normalize("NFKD", spoken))
    if len(letters) > _LONG_WORD:  # no word: a link or a run of letters
        return max(1, len(_VOWELS.findall(letters)))
    return _count(letters)


@lru_cache(maxsize=65536)
def _count(word: str) -> int:
    listed = _exceptions().get(word)
    return listed if listed is not None else by_rules(word)


def by_rules(word: str) -> int:
    """Return the syllables by spelling alone: groups of vowels, less silent ones, more those spoken apart."""
    groups = len(_VOWELS.findall(word))
    if _SILENT_END.search(word) and not _HEARD_END.search(word):
        groups -= 1
    groups -= len(_SILENT_INSIDE.findall(word))
    groups += len(_APART.findall(word))
    groups += bool(_SYLLABIC_M.search(word))
    return max(1, groups)


@cache
def _exceptions() -> dict[str, int]:
    """Return the listed words with their syllables. A line holds a number and all words that have as many."""
    text = files("evaluation.metrics.language").joinpath("syllable_exceptions.txt").read_text(encoding="utf-8")
    lines = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return {word: int(number) for number, *words in lines for word in words}
