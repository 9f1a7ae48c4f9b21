"""The buttons by which an answer is marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluation.queries.calibration import WORDS

MARKS = {"1": True, "0": False}
"""How the buttons call the two marks."""

_QUESTIONS = {"right": "Is the answer right?", "grounded": "Do the contexts support all that it says?"}
_KEYS = {"right": ("r", "w"), "grounded": ("g", "n")}


@dataclass(frozen=True, slots=True)
class MarkButton:
    """One button: what is posted, its words, the key that presses it."""

    posts: str
    label: str
    key: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class MarkRow:
    """One question about an answer with its two buttons; `value` is its mark, None without one."""

    aspect: str
    question: str
    value: bool | None
    buttons: tuple[MarkButton, MarkButton]


def mark_rows(marks: Mapping[str, bool], aspects: Iterable[str]) -> list[MarkRow]:
    """Return a row of buttons for each aspect."""
    return [_row(aspect, marks.get(aspect)) for aspect in aspects]


def _row(aspect: str, value: bool | None) -> MarkRow:
    first, second = (
        MarkButton(f"{aspect}:{code}", word.capitalize(), key, value is mark)
        for (code, mark), word, key in zip(MARKS.items(), WORDS[aspect], _KEYS[aspect], strict=True)
    )
    return MarkRow(aspect, _QUESTIONS[aspect], value, (first, second))
