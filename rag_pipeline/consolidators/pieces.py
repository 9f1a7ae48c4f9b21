"""What a context is taken apart into: sentences, table rows and code blocks, and the headings that frame them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rag_pipeline.extractive_qa.context_sentences import ContextSentence, context_sentences
from rag_pipeline.types import Context

_HEADING = re.compile(r"(#{1,6})[ \t]")
_ROW = "|"
_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*")
_FENCE = "```"


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
    opened: int | None = None
    row = (-1, -1, -1)  # block, start, end
    for sentence in sentences:
        start, end = sentence.start, sentence.start + len(sentence.text)
        if sentence.in_context.block == row[0]:
            row = (row[0], row[1], end)
            continue
        if row[0] >= 0:
            yield row[1:]
            row = (-1, -1, -1)
        if sentence.text.startswith(_FENCE) and opened is None:
            opened = start
        elif sentence.text.startswith(_FENCE) and opened is not None:
            yield opened, end
            opened = None
        elif opened is None and sentence.text.startswith(_ROW):
            row = (sentence.in_context.block, start, end)
        elif opened is None:
            yield start, end
    if row[0] >= 0:
        yield row[1:]
    if opened is not None:
        yield opened, sentences[-1].start + len(sentences[-1].text)


def _range(context: Context, start: int, end: int) -> tuple[int, int, str]:
    return start, end, context.text[start - context.span.start : end - context.span.start]


def _add_framed(pieces: list[Piece], context: int, ranges: Sequence[tuple[int, int, str]]) -> None:
    """Append the ranges of one context as pieces, with the headings and the table header that frame them."""
    headings: list[tuple[int, int]] = []  # level, place
    table: tuple[int, ...] = ()
    for number, (start, end, text) in enumerate(ranges):
        place = len(pieces)
        heading = _HEADING.match(text)
        if heading:
            headings = [each for each in headings if each[0] < len(heading.group(1))]
        if not text.startswith(_ROW):
            table = ()
        following = ranges[number + 1][2] if number + 1 < len(ranges) else ""
        is_header = text.startswith(_ROW) and (_is_rule(text) or _is_rule(following))
        if is_header:
            table = (*table, place)
        heads = (*(each for _, each in headings), *(() if is_header else table))
        framed = " ".join([*(pieces[head].text for head in heads if not _is_rule(pieces[head].text)), text])
        meaning = framed if text.startswith(_ROW) else text
        pieces.append(Piece(context, start, end, text, heads, framed, meaning, bool(heading) or is_header))
        if heading:
            headings.append((len(heading.group(1)), place))


def _is_rule(text: str) -> bool:
    return text.startswith(_ROW) and _RULE.fullmatch(text) is not None
