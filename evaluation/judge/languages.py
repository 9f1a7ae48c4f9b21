"""What a judge is told on top where the material is not English: in which language to read and write."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from evaluation.language import language_of

_READ = 2000
"""Characters by which the language of a text is told."""
_SHORTEST = 20
"""Characters below which it is not guessed: a name or a number is of no language."""
_ENGLISH = re.compile(r"\bthe\b", re.I)
_OTHER = (
    "The material is in the language with the ISO 639 code “{code}”. Judge by its own wording, and write claims and "
    "reasons in that language; the names of the JSON fields stay as they are above."
)


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
