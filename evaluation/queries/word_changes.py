"""What changed between two texts, word by word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORDS = re.compile(r"\S+\s*|\s+")
MOST_WORDS = 3000
"""Longer texts are shown whole as taken out and put in: to match them takes seconds."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """A piece of a text: `sign` is + where it was put in, − where it was taken out, empty where it stayed."""

    text: str
    sign: str = ""


def word_changes(before: str, after: str) -> list[TextChange]:
    """Return the pieces of both texts in order; those that stayed and were put in, joined, are `after`."""
    if before == after:
        return [TextChange(after)] if after else []
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) + len(new) > MOST_WORDS:
        return [piece for piece in (TextChange(before, "−"), TextChange(after, "+")) if piece.text]
    # White space is no change: an answer often differs in it alone.
    matcher = SequenceMatcher(None, [word.strip() for word in old], [word.strip() for word in new], autojunk=False)
    pieces: list[TextChange] = []
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(TextChange("".join(new[first:last])))
            continue
        pieces += [TextChange("".join(old[start:end]), "−")] if start < end else []
        pieces += [TextChange("".join(new[first:last]), "+")] if first < last else []
    return pieces
