"""How one text differs from another, line by line."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Literal

AROUND = 2
"""Unchanged lines that are shown before and after a change."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of the old text (−), of the new one (+), of both (empty), or a gap (…) where equal lines are left out."""

    sign: Literal["+", "−", "", "…"]
    text: str


def line_differences(old: str, new: str) -> list[DiffLine]:
    """Return what was taken out of `old` and put in for `new`, with the lines around; [] where they are the same."""
    lines: list[DiffLine] = []
    for line in list(difflib.unified_diff(old.splitlines(), new.splitlines(), n=AROUND, lineterm=""))[2:]:
        if line.startswith("@@"):
            lines += [DiffLine("…", "")] if lines else []
        elif line.startswith("+"):
            lines.append(DiffLine("+", line[1:]))
        elif line.startswith("-"):
            lines.append(DiffLine("−", line[1:]))
        else:
            lines.append(DiffLine("", line[1:]))
    return lines
