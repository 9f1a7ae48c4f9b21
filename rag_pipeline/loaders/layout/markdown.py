"""Pieces of Markdown that the readers write: headings, list items, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
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
    lines = [line for line in lines if any(line)]
    width = max((len(line) for line in lines), default=0)
    lines = [line + [""] * (width - len(line)) for line in lines]
    columns = [column for column in range(width) if any(line[column] for line in lines)]
    if not columns:
        return ""
    lines = [[line[column] for column in columns] for line in lines]
    if len(columns) == 1:  # a frame around text, not a table
        return "\n\n".join(line[0] for line in lines)
    drawn = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([drawn[0], "|" + " --- |" * len(columns), *drawn[1:]])


def joined(blocks: Iterable[Block]) -> str:
    """Return blocks with a blank line between them, none between tight neighbours."""
    parts: list[str] = []
    before: Block | None = None
    for block in blocks:
        if not block.text.strip():
            continue
        if before is not None:
            parts.append("\n" if before.tight and block.tight else "\n\n")
        parts.append(block.text.strip("\n"))
        before = block
    return re.sub(r"\n{3,}", "\n\n", "".join(parts))
