"""Code examples of one line: behind a sentence that ends in a colon, or below a comment that explains it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BLOCK = re.compile(
    r"\s*\n[ \t]*(?P<fence>```|~~~)(?P<language>[\w+-]*)[^\n]*\n(?P<body>.*?\n)[ \t]*(?P=fence)", re.DOTALL
)
_SHELL = frozenset({"bash", "sh", "shell", "console", "zsh", "shell-session", "powershell", "cmd", "terminal"})
_PROMPT = re.compile(r"[$>] ")
_COMMENT = re.compile(r"\s*(?:#|//)")
_EXPLAINED = re.compile(
    r"^[ \t]*# (?P<comment>[A-Z][^\n]+)\n[ \t]*(?!#)(?P<line>\S[^\n]*[^\s\\])[ \t]*(?=\n\s*(?:\n|#|\Z))", re.MULTILINE
)
_ASIDE = re.compile(r" *\([^()]*\)|[.:]$")
_LONGEST = 150


@dataclass(frozen=True, slots=True)
class CodeExample:
    """One line of code, the comment above it, its place in the document, and whether it is typed at a prompt.

    `comment` is empty where the line is all that a block holds.
    """

    line: str
    comment: str
    start: int
    end: int
    is_command: bool


def examples_behind(text: str, position: int) -> Iterator[CodeExample]:
    """Yield the example right behind a place in a text, where all of it is one line, or its explained commands."""
    block = _BLOCK.match(text, position)
    if block is None:
        return
    at = block.start("body")
    lines = [line.strip() for line in block["body"].splitlines() if line.strip() and not _COMMENT.match(line)]
    shell = block["language"].lower() in _SHELL or (bool(lines) and _PROMPT.match(lines[0]) is not None)
    if len(lines) == 1 and _is_whole(lines[0]):
        yield CodeExample(_PROMPT.sub("", lines[0], count=1), "", at, block.end(), shell)
    for found in _EXPLAINED.finditer(block["body"]) if shell else ():
        if _is_whole(found["line"]):
            line, comment = _PROMPT.sub("", found["line"], count=1), _ASIDE.sub("", found["comment"]).strip()
            yield CodeExample(line, comment, at + found.start("comment"), at + found.end(), True)


def _is_whole(line: str) -> bool:
    return len(line) <= _LONGEST and not line.endswith(("{", "(", "[", "\\", ":", "<<")) and " # " not in line
