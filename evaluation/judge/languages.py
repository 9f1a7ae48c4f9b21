"""What a judge is told on top where the material is not English: in which language to read and write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from evaluation.language import language_of

_READ = 2000
"""Characters by which the language of a text is told."""
_SHORTEST = 20
"""Characters below which it is not guessed: a name or a number is of no language."""
_ENGLISH = re.compile(r"\bthe\b", re.I)
_OTHER = (
    "The material is in the language with the ISO 639 code “{code}”. Judge by its own wording, and write all free text "
    "(claims, questions, reasons) in that language; the names of the JSON fields and fixed values stay as they are "
    "above."
)
_OURS = frozenset({"definition", "count", "most"})
"""Fields of prompts that hold words of the metric."""
_STAND_IN = re.compile(r"^(?:\(.*\)|</?\w+>)$", re.M)
"""What stands for a text that there is not, and marks: both are in English whatever the material is."""


def closing_for(fields: Mapping[str, str]) -> str:
    """Return what a prompt ends with that is filled with `fields`: the instruction for the language of its material."""
    material = (_STAND_IN.sub("", text).strip() for name, text in fields.items() if name not in _OURS)
    return in_language("\n".join(filter(None, material)))


def in_language(text: str) -> str:
    """Return the instruction for the language of a text, in that language where it is shipped; empty for English."""
    start = text[:_READ]
    if len(start.strip()) < _SHORTEST or (start.isascii() and _ENGLISH.search(start)):
        return ""  # told without loading what tells languages
    code = language_of(start)
    return "" if code in ("", "en") else _instructions().get(code, _OTHER.format(code=code))


@cache
def _instructions() -> dict[str, str]:
    lines = files("evaluation.judge").joinpath("languages.txt").read_text(encoding="utf-8").splitlines()
    return {code: words for code, _, words in (line.partition(": ") for line in lines) if words}
