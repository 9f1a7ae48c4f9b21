"""Blocks of a Markdown text with exact offsets: headings, code, tables, lists and paragraphs.

Follows CommonMark where it matters for cutting (fences, setext headings, lazy lines of lists), and takes the headings
of wikis (`== Title ==`) for headings as well. A fence that is never closed is text, so that it hides no heading.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Literal

from rag_pipeline.chunkers.rulers import Slice, trimmed

Kind = Literal["heading", "code", "table", "list", "text"]

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(\S.*))?$")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+$")
_WIKI_HEADING = re.compile(r"[ \t]*(=(?: ?=){0,5}) ?([^=\s](?:[^=]*[^=\s])?) ?\1$")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|-{2,})$")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_ITEM = re.compile(r"([ \t]*)(?:[-*+•◦▪–]|(\d{1,9})[.)])[ \t]+\S")
_DELIMITERS = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$")
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)[ \t]*\S")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"[*_]{1,3}(?=\S)(.+?)(?<=\S)[*_]{1,3}|`([^`]+)`")
_ANCHOR = re.compile(r"\s*\{#[^}]*\}\s*$")
_LONGEST_TITLE = 120
_READ_OF_TITLE = 500


@dataclass(frozen=True, slots=True)
class Block:
    """Characters `start` to `end`, no white space at the ends; `level` and `title` are a heading's."""

    kind: Kind
    start: int
    end: int
    level: int = 0
    title: str = ""


def markdown_blocks(text: str) -> list[Block]:
    """Return the blocks of `text` in order. Everything but white space is in one of them."""
    return _Scan(text).blocks


def lines_of(text: str, start: int, end: int) -> Iterator[Slice]:
    """Yield the lines of a slice that hold more than white space, without that at their ends."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        line = trimmed(text, start, stop)
        if line[0] < line[1]:
            yield line
        start = stop + 1


def items_of(text: str, start: int, end: int) -> list[Slice]:
    """Return the items of a list at its outermost level, nested ones within them."""
    marked = [
        (line, match) for line, _ in lines_of(text, start, end) if (match := _ITEM.match(text, _left(text, line)))
    ]
    outermost = min((_depth(match) for _, match in marked), default=0)
    starts = {line for line, match in marked if _depth(match) <= outermost + 1}
    return [trimmed(text, left, right) for left, right in pairwise(sorted({start, *starts, end}))]


def _left(text: str, place: int) -> int:
    """Return where the line of a character begins."""
    return text.rfind("\n", 0, place) + 1


def _depth(item: re.Match[str]) -> int:
    return len(item[1].expandtabs(4))


class _Scan:
    """One pass over the lines of a text; `start` is where the open block began, `lines` how many it has."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self.kind: Kind | None = None
        self.start = self.lines = self.end = 0
        self.blank = False
        fences = _fences(text)
        position = 0
        while position < len(text):
            stop = text.find("\n", position)
            stop = len(text) if stop < 0 else stop
            if position in fences:
                stop = fences[position]
                self._add("code", position, stop)
            else:
                self._line(position, stop)
            position = stop + 1
        self._close()

    def _close(self) -> None:
        if self.kind is not None:
            self.blocks.append(Block(self.kind, *trimmed(self.text, self.start, self.end)))
        self.kind, self.lines, self.blank = None, 0, False

    def _add(self, kind: Kind, start: int, end: int, level: int = 0, title: str = "") -> None:
        self._close()
        self.blocks.append(Block(kind, *trimmed(self.text, start, end), level, _plain(title)))

    def _open(self, kind: Kind, start: int, end: int) -> None:
        if kind != self.kind or (kind == "text" and self.blank):
            self._close()
            self.kind, self.start = kind, start
        self.lines, self.end, self.blank = self.lines + 1, end, False

    def _line(self, start: int, end: int) -> None:
        line = self.text[start:end].rstrip()
        if not line:
            self.blank = True
            if self.kind in ("text", "table"):
                self._close()
        elif not self._heading(line, start, end):
            self._open(self._kind_of(line), start, end)

    def _heading(self, line: str, start: int, end: int) -> bool:
        """Take the line as a heading, or as the underline that makes one of the line before it."""
        found = _HEADING.match(line)
        if found:
            self._add("heading", start, end, len(found[1]), _CLOSING_MARKS.sub("", found[2] or ""))
            return True
        wiki = _WIKI_HEADING.match(line) if "=" in line else None
        if wiki:
            self._add("heading", start, end, wiki[1].count("="), wiki[2])
            return True
        underline = _UNDERLINE.match(line) if self.kind == "text" and self.lines == 1 else None
        if underline is None:
            return False
        above, self.kind = self.start, None
        self._add("heading", above, end, 1 if underline[1] else 2, self.text[above : self.end])
        return True

    def _kind_of(self, line: str) -> Kind:
        if self._in_table(line):
            return "table"
        indented = _INDENTED.match(line) is not None
        if self._in_list(line, indented=indented):
            return "list"
        if indented and self.kind in (None, "code"):
            return "code"
        if self.kind == "code" and not self.blank:  # an indented first line, not code
            self.kind = "text"
        return "text"

    def _in_table(self, line: str) -> bool:
        if line.lstrip().startswith("|") or (self.kind == "table" and "|" in line):
            return True
        if self.kind == "text" and self.lines == 1 and "|" in line and _DELIMITERS.match(line.strip()):
            self.kind = "table"  # a table without bars at its sides: the line before was its head
            return True
        return False

    def _in_list(self, line: str, *, indented: bool) -> bool:
        item = _ITEM.match(line)
        if item and not (indented and self.kind in (None, "code")) and (self.kind != "text" or item[2] in (None, "1")):
            return True
        return self.kind == "list" and (not self.blank or line[0] in " \t")


def _fences(text: str) -> dict[int, int]:
    """Return start of the opening line -> end of the closing line, for fences that are closed."""
    found = [(match.start(), match.end(), match[1], match[2].strip()) for match in _FENCE.finditer(text)]
    closing = [(start, end, marks) for start, end, marks, rest in found if not rest]
    fences: dict[int, int] = {}
    inside = -1  # end of the last fence
    for start, _, marks, rest in found:
        if start <= inside or (marks[0] == "`" and "`" in rest):
            continue
        behind = range(bisect_right(closing, start, key=itemgetter(0)), len(closing))
        close = next((place for place in behind if closing[place][2].startswith(marks)), None)
        if close is not None:
            fences[start] = inside = closing[close][1]
    return fences


def _plain(title: str) -> str:
    """Return a heading's title as it reads: on one line, without links, emphasis and anchors."""
    title = title.strip()[:_READ_OF_TITLE]
    title = _MARKS.sub(lambda match: match[1] or match[2], _LINK.sub(r"\1", _ANCHOR.sub("", title)))
    title = " ".join(title.split())
    return title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1].rstrip()}…"
