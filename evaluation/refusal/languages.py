"""How assistants decline in languages other than English: shipped patterns, one file a language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from evaluation.refusal.any_of import any_of

_MACRO = re.compile(r"(\[[A-Z]+\]) = (.*)")
_FILLER = "~ "
_LATIN = re.compile("[a-z]")
_SCRIPTS = {
    "ar": re.compile("[\u0620-\u064a]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7a3]"),
    "ru": re.compile("[а-яё]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
}
"""What a text must have to be looked at in a language; in all others a Latin letter."""
_ARABIC_MARKS = re.compile("[\u0640\u064b-\u0652\u0670]")
_ARABIC_LETTERS = str.maketrans("أإآٱةى", "ااااهي")


@dataclass(frozen=True)
class Wording:
    """What declining sentences and sentences without substance look like in the languages of a script.

    Compiled when first looked for: those of all scripts together take 40 ms.
    """

    patterns: tuple[list[str], list[str]]

    @cached_property
    def declining(self) -> re.Pattern[str]:
        """Found in every sentence that declines."""
        return re.compile(any_of(self.patterns[0]))

    @cached_property
    def filler(self) -> re.Pattern[str]:
        """Found in every sentence without substance."""
        return re.compile(any_of(self.patterns[1]))


def declines(plain: str) -> bool:
    """Return whether a sentence, in lower case with plain apostrophes, is worded like a refusal in some language."""
    text = _bare(plain)
    return any(each.declining.search(text) for each in _written_in(text))


def is_filler(plain: str) -> bool:
    """Return whether a sentence, in lower case with plain apostrophes, says nothing of substance in some language."""
    text = _bare(plain)
    return any(each.filler.search(text) for each in _written_in(text))


def _written_in(text: str) -> Iterator[Wording]:
    """Yield the wordings of the scripts that a text has."""
    if text.isascii():  # the usual case, in which there is no need to look for the letters of six scripts
        if _LATIN.search(text):
            yield _by_script()[_LATIN]
        return
    for script, wording in _by_script().items():
        if script.search(text):
            yield wording


def _bare(text: str) -> str:
    """Return a text without Arabic's vowel signs, its letters in the forms that people mix up brought to one."""
    return text if text.isascii() else _ARABIC_MARKS.sub("", text).translate(_ARABIC_LETTERS)


@cache
def languages() -> tuple[str, ...]:
    """Return the codes of the languages that have a list."""
    names = (each.name for each in (files("evaluation.refusal") / "phrases" / "languages").iterdir())
    return tuple(sorted(name.removesuffix(".txt") for name in names if name.endswith(".txt")))


@cache
def _by_script() -> dict[re.Pattern[str], Wording]:
    """Return what a text must have, and how the languages of that script word it."""
    lines: dict[re.Pattern[str], tuple[list[str], list[str]]] = {}
    for code in languages():
        both = lines.setdefault(_SCRIPTS.get(code, _LATIN), ([], []))
        for all_of_script, own in zip(both, patterns(code), strict=True):
            all_of_script += own
    return {script: Wording(both) for script, both in lines.items()}


def patterns(code: str) -> tuple[list[str], list[str]]:
    """Return the patterns of a language: of sentences that decline, and of fillers.

    In its file `[NAME] = pattern` gives a name to what later lines hold, a line from `~` on is a filler, `#` a comment.
    """
    text = (files("evaluation.refusal") / "phrases" / "languages" / f"{code}.txt").read_text(encoding="utf-8")
    macros: dict[str, str] = {}
    declining: list[str] = []
    fillers: list[str] = []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        named = _MACRO.fullmatch(line)
        for name, pattern in macros.items():
            line = line.replace(name, pattern)
        if named:
            macros[named[1]] = named[2]
        else:
            (fillers if line.startswith(_FILLER) else declining).append(line.removeprefix(_FILLER))
    return declining, fillers
