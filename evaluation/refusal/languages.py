"""How assistants decline in languages other than English: shipped patterns, one file a language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_MACRO = re.compile(r"(\[[A-Z]+\]) = (.*)")
_FILLER = "~ "
_SCRIPTS = {
    "ar": re.compile("[\u0620-\u064a]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7a3]"),
    "ru": re.compile("[а-яё]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
}
"""What a text must have to be looked at in a language; in all others a Latin letter."""
_LATIN = re.compile("[a-z]")
_ARABIC_MARKS = re.compile("[\u0640\u064b-\u0652\u0670]")
_ARABIC_LETTERS = str.maketrans("أإآٱةى", "ااااهي")


@dataclass(frozen=True)
class Wording:
    """What declining sentences and sentences without substance look like in one language."""

    declining: re.Pattern[str]
    filler: re.Pattern[str]


def declines(plain: str) -> bool:
    """Return whether a sentence, in lower case with plain apostrophes, is worded like a refusal in some language."""
    text = _bare(plain)
    return any(wording(code).declining.search(text) for code in _candidates(text))


def is_filler(plain: str) -> bool:
    """Return whether a sentence, in lower case with plain apostrophes, says nothing of substance in some language."""
    text = _bare(plain)
    return any(wording(code).filler.search(text) for code in _candidates(text))


def _bare(text: str) -> str:
    """Return a text without Arabic's vowel signs, its letters in the forms that people mix up brought to one."""
    return _ARABIC_MARKS.sub("", text).translate(_ARABIC_LETTERS)


def _candidates(text: str) -> list[str]:
    return [code for code in languages() if _SCRIPTS.get(code, _LATIN).search(text)]


@cache
def languages() -> tuple[str, ...]:
    """Return the codes of the languages that have a list."""
    names = (each.name for each in (files("evaluation.refusal") / "phrases" / "languages").iterdir())
    return tuple(sorted(name.removesuffix(".txt") for name in names if name.endswith(".txt")))


@cache
def wording(code: str) -> Wording:
    """Return the patterns of a language.

    In its file `[NAME] = pattern` gives a name to what later lines hold, a line from `~` on is a filler, `#` a comment.
    """
    text = (files("evaluation.refusal") / "phrases" / "languages" / f"{code}.txt").read_text(encoding="utf-8")
    macros: dict[str, str] = {}
    lines: dict[bool, list[str]] = {True: [], False: []}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        named = _MACRO.fullmatch(line)
        for name, pattern in macros.items():
            line = line.replace(name, pattern)
        if named:
            macros[named[1]] = named[2]
        else:
            lines[line.startswith(_FILLER)].append(line.removeprefix(_FILLER))
    return Wording(*(re.compile("|".join(f"(?:{each})" for each in lines[filler])) for filler in (False, True)))
