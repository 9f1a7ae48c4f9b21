"""Inline code, replaced by names while a sentence is read: it is no markup, and a tagger cannot read it."""

from __future__ import annotations

import re

_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`]+)\1(?!`)")
_FIRST_MARK = 0xE000


def mask_code(raw: str) -> tuple[str, tuple[str, ...]]:
    """Return a text with each piece of marked code as one character of no alphabet, and the pieces."""
    codes = tuple(" ".join(match.group(2).split()) for match in _CODE.finditer(raw))
    marks = iter(range(len(codes)))
    return _CODE.sub(lambda match: chr(_FIRST_MARK + next(marks)), raw), codes


def unmask_code(text: str, codes: tuple[str, ...]) -> str:
    """Return a text that `mask_code` made, maybe changed since, with its code."""
    for number, code in enumerate(codes):
        text = text.replace(chr(_FIRST_MARK + number), code)
    return text
