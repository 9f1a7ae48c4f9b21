"""Sentences of a text with exact offsets: `text[start:end]` is the sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rag_pipeline.english.words import word_list

_ENDS_ALSO = frozenset({"etc", "u.s", "u.k", "a.m", "p.m", "inc", "ltd", "co", "corp", "ph.d", "jr", "sr"})
"""Abbreviations that may also be the last word of a sentence: a capital letter after them ends it."""
_BEFORE_NUMBERS = frozenset({"no", "nos", "vol", "vols", "p", "pp", "fig", "figs", "eq", "sec", "ch", "art", "arts"})
"""Abbreviations only where a number follows: `No. 7`, but `He said no.`"""
_STOP = re.compile(r"[.!?…؟۔։॥។]+[\"'”’»)\]]*|[।።፧။]+[\"'”’»)\]]*|[。！？]+[」』”’]*")
"""Also Arabic and Urdu, Armenian, Hindi and its like, Khmer; Ethiopic and Burmese; Chinese and Japanese."""
_PLAIN_STOP = re.compile(r"\.|[!?]+")
"""Behind which a small letter may begin a sentence, where all letters are small: no `…`, no `"Why?" she said`."""
_WORD_BEFORE = re.compile(r"[\w.]*\w$")
_OPENER = re.compile(r"[\"'“‘«(\[*_]*")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n\s*")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•◦▪–]|\(?\d{1,3}[.)]|\(?[a-z][.)])[ \t]+\S")
_LINE_OF_ITS_OWN = re.compile(r"[ \t]*(?:#{1,6}[ \t]|\||=+[ \t]|>|```)")
_NUMBER_OF_ITEM = re.compile(r"[(*_#\s]*(?:\d{1,3}|[IVXLC]{1,4})$")
"""What may stand before the first full stop of a list item or heading: `3. Wash it.`, `IV. Results`."""
_SHORT_LINE = 45
_ENDS_ANYWHERE = "。！？।።፧။"
"""Marks that end a sentence without a blank behind them; no number or abbreviation has them."""
_PASSAGE = 4_000
"""Characters up to which the sentences of a text are kept: those of passages, not of whole documents."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """Characters `start` to `end` of the text that was split; `block` counts paragraphs, headings and list items."""

    start: int
    end: int
    block: int
    text: str


def split_sentences(text: str, *, without_capitals: bool = False) -> list[Sentence]:
    """Return the sentences of `text` in order. Everything but white space between them is in one of them.

    `without_capitals`: in a text that has small letters and no capital, a small letter may begin a sentence.
    """
    small = without_capitals and text.islower()
    return list(_kept(text, small) if len(text) <= _PASSAGE else _split(text, small))


@lru_cache(maxsize=2_000)
def _kept(text: str, small: bool) -> tuple[Sentence, ...]:
    """Passages are split again and again: by the reader, by what consolidates and by what scores."""
    return _split(text, small)


def _split(text: str, small: bool) -> tuple[Sentence, ...]:
    return tuple(
        Sentence(left, right, block, text[left:right])
        for block, (start, end) in enumerate(_blocks(text))
        for left, right in _in_block(text, start, end, small)
    )


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield paragraphs, headings, list items and table rows as stripped ranges."""
    start = 0
    for gap in _BLANK_LINE.finditer(text):
        yield from _lines(text, start, gap.start())
        start = gap.end()
    yield from _lines(text, start, len(text))


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Split a paragraph at those line breaks that end something; a hard wrap is none."""
    left = start
    position = text.find("\n", start, end)
    while position != -1:
        if _breaks(text, left, position, end):
            yield from _stripped(text, left, position)
            left = position + 1
        position = text.find("\n", position + 1, end)
    yield from _stripped(text, left, end)


def _breaks(text: str, left: int, position: int, end: int) -> bool:
    """True when the line break at `position` ends a heading, an item, a row or a short line of its own."""
    line_start = text.rfind("\n", left, position) + 1 or left
    line = text[max(left, line_start) : position].strip()
    after = text.find("\n", position + 1, end)
    following = text[position + 1 : after if after != -1 else end]
    if not line or not following.strip():
        return True
    if _LINE_OF_ITS_OWN.match(line) or _LINE_OF_ITS_OWN.match(following) or _LIST_ITEM.match(following):
        return True
    opens = following.strip()[0]
    return len(line) < _SHORT_LINE and not line.endswith((",", "-")) and (opens.isupper() or opens.isdigit())


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


def _in_block(text: str, start: int, end: int, small: bool) -> Iterator[tuple[int, int]]:
    left = start
    for stop in _STOP.finditer(text, start, end):
        numbers_item = left == start and stop.group() == "." and _NUMBER_OF_ITEM.match(text, start, stop.start())
        if stop.end() < end and not numbers_item and _ends_sentence(text, left, stop, end, small):
            yield from _stripped(text, left, stop.end())
            left = stop.end()
    yield from _stripped(text, left, end)


def _ends_sentence(text: str, left: int, stop: re.Match[str], end: int, small: bool) -> bool:
    if stop.group()[0] in _ENDS_ANYWHERE:
        return True
    if not text[stop.end()].isspace():
        return False
    rest = text[stop.end() : min(end, stop.end() + 40)].lstrip()
    opens = rest[_OPENER.match(rest).end() :][:1]  # type: ignore[union-attr]
    if opens.islower() and not (small and _PLAIN_STOP.fullmatch(stop.group())):
        return False
    if stop.group()[0] != ".":
        return True
    before = _WORD_BEFORE.search(text, max(left, stop.start() - 20), stop.start())
    return before is None or _may_end(before.group(), opens, small)


def _may_end(word: str, opens: str, small: bool) -> bool:
    """False when the full stop after `word` belongs to an abbreviation or an initial."""
    lower = word.lower()
    if lower in _BEFORE_NUMBERS:
        return not opens.isdigit()
    if lower in _ENDS_ALSO:
        return opens.isupper()
    if lower in word_list("abbreviations"):
        return False
    return not (len(word) == 1 and word.isalpha() and (word.isupper() or small) and lower != "i")
