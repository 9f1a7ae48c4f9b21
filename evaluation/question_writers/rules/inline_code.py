"""Inline code, replaced by names while a sentence is read: it is no markup, and a tagger cannot read it."""

from __future__ import annotations

import re
from dataclasses import replace

from evaluation.question_writers.rules.phrasing import CandidateQuestion

_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`]+)\1(?!`)")
_UNMARKED = re.compile(r"(?<![\w-])--[a-z][\w-]*\w|\b(?:[A-Za-z_]\w*\.)*\w+\(\)|\b\w+_\w+\b")
_SMALL_FIRST = re.compile(r"[a-z][\w.-]*\w(?= [a-z]+s? )")
"""What begins a sentence with a small letter is a name: `python-dotenv reads …`."""
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FIRST_MARK = 0xE000
_GLUED = re.compile(r"\w(?=Code[b-z]x)|Code[b-z]x(?=\w)")
_LETTERS = "bcdfghjklmnpqrtvwz"
STANDS_FOR_CODE = re.compile(r"\bCode[b-z]x\b")
"""The name that replaces a piece of code; the tagger and the rules treat it as a name."""


def parted(name: str) -> str:
    """Return the words that a name is made of: `ExactMatch` → `Exact Match`."""
    return " ".join(_PARTS.findall(name))


def codes_of(raw: str) -> tuple[str, ...]:
    """Return what a stretch of Markdown marks as code, in order."""
    return tuple(_flat(match.group(2)) for match in _CODE.finditer(raw))


def mask_code(raw: str) -> tuple[str, tuple[str, ...]]:
    """Return a text with each piece of marked code as one character of no alphabet, and the pieces."""
    codes = codes_of(raw)
    marks = iter(range(len(codes)))
    return _CODE.sub(lambda match: chr(_FIRST_MARK + next(marks)), raw), codes


def unmask_code(text: str, codes: tuple[str, ...]) -> str:
    """Return a text that `mask_code` made, maybe changed since, with its code."""
    for number, code in enumerate(codes):
        text = text.replace(chr(_FIRST_MARK + number), code)
    return text


def _flat(code: str) -> str:
    return " ".join(code.split())


class MaskedSentence:
    """A sentence whose code is written as names: `Codebx returns a Codecx.`"""

    def __init__(self, text: str, codes: tuple[str, ...]) -> None:
        self.text, at = "", 0
        self._names: dict[str, str] = {}
        first = _SMALL_FIRST.match(text)
        codes = (first.group(), *codes) if first is not None and text[: len(first.group())] not in codes else codes
        for code in codes:
            place = text.find(code, at)
            if place >= 0:
                self.text += self._unmarked(text[at:place]) + self._name(code)
                at = place + len(code)
        self.text += self._unmarked(text[at:])

    @property
    def readable(self) -> bool:
        """Whether there were names enough for all the code, and none is part of a word (`` `yield`ing ``)."""
        return len(self._names) <= len(_LETTERS) and _GLUED.search(self.text) is None

    def plain(self, text: str) -> str:
        """Return a text with the code in place of its names."""
        return STANDS_FOR_CODE.sub(lambda match: self._codes.get(match.group(), match.group()), text)

    def unmask(self, candidate: CandidateQuestion) -> CandidateQuestion:
        """Return a question of the sentence with its code."""
        text, indirect, answer, topic = map(
            self.plain, (candidate.text, candidate.indirect, candidate.answer, candidate.topic)
        )
        return replace(candidate, text=text, indirect=indirect, answer=answer, topic=topic)

    @property
    def _codes(self) -> dict[str, str]:
        return {name: code for code, name in self._names.items()}

    def _unmarked(self, text: str) -> str:
        return _UNMARKED.sub(lambda match: self._name(match.group()), text)

    def _name(self, code: str) -> str:
        return self._names.setdefault(code, f"Code{_LETTERS[min(len(self._names), len(_LETTERS) - 1)]}x")
