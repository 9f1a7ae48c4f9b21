"""What a context is taken apart into: sentences, table rows and code blocks, and the headings that frame them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import filterfalse, groupby

from rag_pipeline.extractive_qa.context_sentences import ContextSentence, context_sentences
from rag_pipeline.types import Context

_HEADING = re.compile(r"(#{1,6})[ \t]")
_ROW = "|"
_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*")
_FENCE = "```"
_TEXT = 7


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the context at place `context`, characters `start` to `end` of its document.

    `heads` are the places of the pieces that it needs: headings above it, the header of its table with the rule below.
    `with_heads` is its text after theirs, `meaning` what is embedded. A frame (a heading, a table's header) is no
    answer by itself.
    """

    context: int
    start: int
    end: int
    text: str
    heads: tuple[int, ...] = ()
    with_heads: str = ""
    meaning: str = ""
    is_frame: bool = False

    @property
    def is_heading(self) -> bool:
        """True for a heading; the other frames are a table's header and rule."""
        return self.is_frame and not self.text.startswith(_ROW)


def pieces_of(contexts: Sequence[Context]) -> list[Piece]:
    """Return the pieces of all contexts in order; what overlapping contexts repeat comes once."""
    places = {id(context): place for place, context in enumerate(contexts)}
    pieces: list[Piece] = []
    for _, sentences in groupby(context_sentences(contexts), key=lambda sentence: id(sentence.context)):
        own = list(sentences)
        _add_framed(pieces, places[id(own[0].context)], [_range(own[0].context, *each) for each in _ranges(own)])
    return pieces


def _ranges(sentences: Sequence[ContextSentence]) -> Iterator[tuple[int, int]]:
    """Yield (start, end) in the document: each sentence, but a table row and a code block whole."""
    first = 0
    while first < len(sentences):
        last = _last_of(sentences, first)
        yield sentences[first].start, sentences[last].start + len(sentences[last].text)
        first = last + 1


def _last_of(sentences: Sequence[ContextSentence], first: int) -> int:
    """Return the place of the last sentence of what begins at place `first`."""
    begin, rest = sentences[first], range(first + 1, len(sentences))
    if begin.text.startswith(_FENCE):
        return next((place for place in rest if sentences[place].text.startswith(_FENCE)), len(sentences) - 1)
    if begin.text.startswith(_ROW):
        block = begin.in_context.block
        return next((place for place in rest if sentences[place].in_context.block != block), len(sentences)) - 1
    return first


def _range(context: Context, start: int, end: int) -> tuple[int, int, str]:
    return start, end, context.text[start - context.span.start : end - context.span.start]


def _add_framed(pieces: list[Piece], context: int, ranges: Sequence[tuple[int, int, str]]) -> None:
    """Append the ranges of one context as pieces, with the headings and the table header that frame them."""
    headings: dict[int, int] = {}  # place by level
    table: tuple[int, ...] = ()
    for number, (start, end, text) in enumerate(ranges):
        place, level = len(pieces), _level(text)
        is_row, is_header = text.startswith(_ROW), _is_header(ranges, number)
        headings = {above: at for above, at in headings.items() if above < level}
        if not is_row:
            table = ()
        heads = (*headings.values(), *(() if is_header else table))
        if is_header:
            table = (*table, place)
        framed = " ".join([*filterfalse(_is_rule, (pieces[head].text for head in heads)), text])
        meaning = framed if is_row else text
        pieces.append(Piece(context, start, end, text, heads, framed, meaning, level < _TEXT or is_header))
        if level < _TEXT:
            headings[level] = place


def _level(text: str) -> int:
    """Return the level of a heading; other text lies below all of them."""
    heading = _HEADING.match(text)
    return len(heading.group(1)) if heading else _TEXT


def _is_header(ranges: Sequence[tuple[int, int, str]], number: int) -> bool:
    """Return whether a range is the head of a table: the row above the rule, or the rule itself."""
    return ranges[number][2].startswith(_ROW) and any(_is_rule(text) for _, _, text in ranges[number : number + 2])


def _is_rule(text: str) -> bool:
    return text.startswith(_ROW) and _RULE.fullmatch(text) is not None
