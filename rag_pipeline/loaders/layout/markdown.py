"""Pieces of Markdown that the readers write: headings, list items, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest


@dataclass(frozen=True, slots=True)
class WrittenBlock:
    """A block of text; a tight one stands directly under a tight one before it (list items)."""

    text: str
    tight: bool = False


def one_line(text: str) -> str:
    """Return `text` with every run of white space, no-break spaces too, as one space."""
    return " ".join(text.split())


def heading(level: int, text: str) -> str:
    """Return a heading of level 1 to 6 on one line; empty without text."""
    title = one_line(text)
    return f"{'#' * min(max(level, 1), 6)} {title}" if title else ""


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return a pipe table, its first row as the head; rows and columns without any text are left out."""
    lines = [[one_line(cell).replace("|", "\\|") for cell in row] for row in rows]
    columns = [column for column in zip_longest(*filter(any, lines), fillvalue="") if any(column)]
    if not columns:
        return ""
    if len(columns) == 1:  # a frame around text, not a table
        return "\n\n".join(columns[0])
    head, *body = ("| " + " | ".join(line) + " |" for line in zip(*columns, strict=True))
    return "\n".join([head, "|" + " --- |" * len(columns), *body])


def joined(blocks: Iterable[WrittenBlock]) -> str:
    """Return blocks with a blank line between them, none between tight neighbours."""
    parts: list[str] = []
    before: WrittenBlock | None = None
    for block in blocks:
        if not block.text.strip():
            continue
        if before is not None:
            parts.append("\n" if before.tight and block.tight else "\n\n")
        parts.append(block.text.strip("\n"))
        before = block
    return re.sub(r"\n{3,}", "\n\n", "".join(parts))
