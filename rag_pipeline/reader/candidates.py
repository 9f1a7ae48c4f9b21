"""Phrases of a sentence that could be the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag_pipeline.reader.spans import TypedSpan, words_within
from rag_pipeline.reader.tags import STRONG, Tagged
from rag_pipeline.reader.typed_spans import CLAUSE_END, typed_spans

_LONGEST = 9
_NOT_FIRST = frozenset({"preposition", "conjunction", "auxiliary", "edge"})
_NOT_LAST = frozenset({"preposition", "conjunction", "determiner", "auxiliary", "edge"})
_OPENS_AFTER = frozenset({"edge", "preposition", "conjunction", "auxiliary", "verb", "pronoun", "adverb", "determiner"})
_CLOSES_BEFORE = _OPENS_AFTER


def candidates(sentence: Tagged, matched: frozenset[int]) -> list[TypedSpan]:
    """Return possible answers: typed spans, phrases between words that end a phrase, rests of clauses.

    `matched` are the places of the words that the question has too; a phrase may also begin or end beside them.
    """
    typed = typed_spans(sentence)
    taken = {(span.first, span.last) for span in typed}
    rests = {(span.first, span.last): span for span in _rests(sentence, matched)}
    phrases = {(span.first, span.last): span for span in _phrases(sentence, matched)}
    return [*typed, *(span for words, span in (phrases | rests).items() if words not in taken)]


def _phrases(sentence: Tagged, matched: frozenset[int]) -> Iterator[TypedSpan]:
    for first in range(len(sentence.words)):
        if not _may_open(sentence, matched, first):
            continue
        for last in range(first + 1, min(first + _LONGEST, len(sentence.words)) + 1):
            if last > first + 1 and _separates(sentence.gaps[last - 1]):
                break
            if _may_close(sentence, matched, last):
                yield TypedSpan(first, last, "phrase")


def _separates(gap: str) -> bool:
    return STRONG.search(gap) is not None or re.search(r",|\.\s|[!?]", gap) is not None


def _may_open(sentence: Tagged, matched: frozenset[int], first: int) -> bool:
    if sentence.tags[first] in _NOT_FIRST or sentence.joined(first):
        return False
    return sentence.stops(first) or sentence.tag(first - 1) in _OPENS_AFTER or first - 1 in matched


def _may_close(sentence: Tagged, matched: frozenset[int], last: int) -> bool:
    if sentence.tags[last - 1] in _NOT_LAST or sentence.joined(last):
        return False
    return sentence.stops(last) or sentence.tag(last) in _CLOSES_BEFORE or last in matched


def _rests(sentence: Tagged, matched: frozenset[int]) -> Iterator[TypedSpan]:
    """Yield what follows a word of the question, to the end of the clause (*represents* the Gambia in ...)."""
    for place in sorted(matched):
        first = place + 1
        while sentence.tag(first) in {"preposition", "auxiliary", "adverb"}:
            first += 1
        if first >= len(sentence.words) or first in matched or sentence.joined(first):
            continue
        end = CLAUSE_END.search(sentence.text, sentence.words[first].start)
        stop = end.start() if end else len(sentence.text)
        yield from words_within(sentence, sentence.words[first].start, stop, "rest")
