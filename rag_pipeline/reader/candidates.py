"""Phrases of a sentence that could be the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag_pipeline.reader.spans import TypedSpan
from rag_pipeline.reader.tags import STRONG, Tagged
from rag_pipeline.reader.typed_spans import typed_spans

_LONGEST = 9
_NOT_FIRST = frozenset({"preposition", "conjunction", "auxiliary", "edge"})
_NOT_LAST = frozenset({"preposition", "conjunction", "determiner", "auxiliary", "edge"})
_OPENS_AFTER = frozenset({"edge", "preposition", "conjunction", "auxiliary", "verb", "pronoun", "adverb", "determiner"})
_CLOSES_BEFORE = _OPENS_AFTER


def candidates(sentence: Tagged, matched: frozenset[int]) -> list[TypedSpan]:
    """Return possible answers: every typed span, and phrases between words that end a phrase (kind `phrase`).

    `matched` are the places of the words that the question has too; a phrase may also begin or end beside them.
    """
    typed = typed_spans(sentence)
    taken = {(span.first, span.last) for span in typed}
    phrases = (span for span in _phrases(sentence, matched) if (span.first, span.last) not in taken)
    return [*typed, *phrases]


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
    if sentence.tags[first] in _NOT_FIRST:
        return False
    before = sentence.gaps[first].strip()
    return bool(before) or sentence.tag(first - 1) in _OPENS_AFTER or first - 1 in matched


def _may_close(sentence: Tagged, matched: frozenset[int], last: int) -> bool:
    if sentence.tags[last - 1] in _NOT_LAST:
        return False
    after = sentence.gaps[last].strip()
    return bool(after) or sentence.tag(last) in _CLOSES_BEFORE or last in matched
