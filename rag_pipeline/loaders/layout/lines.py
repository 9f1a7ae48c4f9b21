"""Pieces of text to lines: what stands on one base line, in order, with small raised figures told from the rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from rag_pipeline.loaders.layout.page import Font, TextRun

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MARK = re.compile(r"\d{1,3}")
_SPACE = 0.12
"""White space, in ems, from which two pieces are two words."""


@dataclass
class Line:
    """Pieces on one base line, from left to right, and the box around them."""

    pieces: list[TextRun]

    def __post_init__(self) -> None:
        self.x0 = min([piece.x0 for piece in self.pieces])
        self.x1 = max([piece.x1 for piece in self.pieces])
        self.y0 = min([piece.y0 for piece in self.pieces])
        self.y1 = max([piece.y1 for piece in self.pieces])

    @cached_property
    def font(self) -> Font:
        """The font of most of its characters."""
        if len(self.pieces) == 1:
            return self.pieces[0].font
        counts: Counter[Font] = Counter()
        for piece in self.pieces:
            counts[piece.font] += len(piece.text)
        return counts.most_common(1)[0][0]

    @cached_property
    def text(self) -> str:
        """Its text; a raised figure after a word or at the beginning as a superscript."""
        return joined(self.pieces, self.font.size)

    @cached_property
    def base(self) -> float:
        """The base line of its main font."""
        return max(piece.base for piece in self.pieces if piece.font is self.font)

    @cached_property
    def bold(self) -> bool:
        """True when all words are bold."""
        return self._all_worded(lambda font: font.bold)

    @cached_property
    def italic(self) -> bool:
        """True when all words are slanted."""
        return self._all_worded(lambda font: font.italic)

    @cached_property
    def mono(self) -> bool:
        """True when all of it stands in letters of one width, as code does."""
        return all(piece.font.mono for piece in self.pieces)

    def spaced(self, left: float) -> str:
        """Return its text with white space as wide as on the page, from `left` on; for letters of one width."""
        letters = sum(len(piece.text) for piece in self.pieces)
        width = max(sum(piece.x1 - piece.x0 for piece in self.pieces) / max(letters, 1), 1.0)
        text = ""
        for piece in self.pieces:
            text = text.ljust(round((piece.x0 - left) / width)) + piece.text
        return text

    def segments(self, gap: float) -> list[list[TextRun]]:
        """Return the pieces in groups parted by at least `gap` points of white space."""
        groups: list[list[TextRun]] = []
        right = 0.0
        for piece in self.pieces:
            if groups and piece.x0 - right < gap:
                groups[-1].append(piece)
            else:
                groups.append([piece])
            right = max(right, piece.x1) if len(groups[-1]) > 1 else piece.x1
        return groups

    def _all_worded(self, test: Callable[[Font], bool]) -> bool:
        fonts = [piece.font for piece in self.pieces if any(map(str.isalpha, piece.text))]
        return bool(fonts) and all(map(test, fonts))


def lines_of(pieces: Iterable[TextRun]) -> list[Line]:
    """Group pieces of one column to lines, from top to bottom."""
    rows: list[list[TextRun]] = []
    for piece in sorted(pieces, key=lambda each: (each.middle, each.x0)):
        for row in reversed(rows[-4:]):
            if _beside(row, piece):
                row.append(piece)
                break
        else:
            rows.append([piece])
    lines = [Line(sorted(row, key=lambda each: each.x0)) for row in rows]
    return sorted(lines, key=lambda line: line.base)


def _beside(row: Sequence[TextRun], piece: TextRun) -> bool:
    """Return whether a piece stands on the line of a row: they share most of the height of the lower of them."""
    tallest = max(row, key=lambda each: each.y1 - each.y0)
    shared = min(tallest.y1, piece.y1) - max(tallest.y0, piece.y0)
    return shared > 0.55 * min(tallest.y1 - tallest.y0, piece.y1 - piece.y0)


def joined(pieces: Sequence[TextRun], size: float) -> str:
    """Return the text of pieces in order, with a space where there is white space between them."""
    text, right = "", 0.0
    for number, piece in enumerate(pieces):
        letters = piece.text
        after = pieces[number + 1].text if number + 1 < len(pieces) else ""
        small = piece.font.size < 0.8 * size and _MARK.fullmatch(letters.strip()) is not None
        if small and not after.startswith("\u2044") and not text.endswith("\u2044"):
            letters = letters.translate(_RAISED)
        if text and piece.x0 - right > _SPACE * max(piece.font.size, 1.0):
            text += " "
        text += letters
        right = max(right, piece.x1)
    return re.sub(r"\s+", " ", text).strip()
