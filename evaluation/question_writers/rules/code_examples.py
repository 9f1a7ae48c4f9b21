"""The lines of code that a sentence announces with its colon, or that a comment above them explains."""

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
    r"^[ \t]*# (?P<said>[A-Z][^\n]+)\n[ \t]*(?!#)(?P<line>\S[^\n]*[^\s\\])[ \t]*(?=\n\s*(?:\n|#|\Z))", re.MULTILINE
)
_ASIDE = re.compile(r" *\([^()]*\)|[.:]$")
_LONGEST = 150


@dataclass(frozen=True, slots=True)
class CodeExample:
    """One line of code, what a comment says of it, its place in the document, and whether it is typed at a prompt.

    `said` is empty where the line is all that a block holds.
    """

    line: str
    said: str
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
            line, said = _PROMPT.sub("", found["line"], count=1), _ASIDE.sub("", found["said"]).strip()
            yield CodeExample(line, said, at + found.start("said"), at + found.end(), True)


def _is_whole(line: str) -> bool:
    return len(line) <= _LONGEST and not line.endswith(("{", "(", "[", "\\", ":", "<<")) and " # " not in line
