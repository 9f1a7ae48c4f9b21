"""Spans of a sentence that have a kind: dates, quantities, names, lists, reasons, definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag_pipeline.english.names import names
from rag_pipeline.english.quantities import quantities
from rag_pipeline.english.tagged_spans import TypedSpan, words_within
from rag_pipeline.english.tags import STRONG_PUNCTUATION, TaggedSentence

_REASON = re.compile(
    r"""\b(?:because(?:\s+of)?|due\s+to|owing\s+to|in\s+order\s+to|so\s+that|as\s+a\s+result\s+of|thanks\s+to
    |caused\s+by|since|for\s+fear\s+of|on\s+account\s+of|to\s+avoid|to\s+prevent|to\s+protect)\s+""",
    re.I | re.X,
)
_MANNER = re.compile(r"\b(?:by(?:\s+means\s+of)?|through|using|via|with\s+the\s+help\s+of|by\s+using)\s+", re.I)
CLAUSE_END = re.compile(r"[;:.!?)]|,\s+(?:which|who|but|and|while|although|though|whereas)\b|$")
_COPULA = frozenset({"is", "are", "was", "were", "means", "refers"})
_AND = frozenset({"and", "or", "&"})
_IN_ITEM = frozenset({"word", "name", "number", "determiner"})


def typed_spans(sentence: TaggedSentence) -> list[TypedSpan]:
    """Return the typed spans of a sentence; they may overlap."""
    parts = (quantities, names, _clauses, _lists, _predicates)
    return list(dict.fromkeys(span for part in parts for span in part(sentence)))


def _clauses(sentence: TaggedSentence) -> Iterator[TypedSpan]:
    """Yield what follows a word of reason or manner, up to the end of its clause, with and without that word."""
    for kind, cue in (("reason", _REASON), ("manner", _MANNER)):
        for match in cue.finditer(sentence.text):
            end = CLAUSE_END.search(sentence.text, match.end())
            stop = end.start() if end else len(sentence.text)
            yield from words_within(sentence, match.end(), stop, kind)
            yield from words_within(sentence, match.start(), stop, kind)


def _predicates(sentence: TaggedSentence) -> Iterator[TypedSpan]:
    """Yield what the sentence says that its subject is: the rest of the clause after the first *is* or *are*."""
    for place, word in enumerate(sentence.words[:-1]):
        if word.lower in _COPULA and place > 0:
            start = sentence.words[place + 1].start
            end = CLAUSE_END.search(sentence.text, start)
            yield from words_within(sentence, start, end.start() if end else len(sentence.text), "definition")
            return


def _lists(sentence: TaggedSentence) -> Iterator[TypedSpan]:
    """Yield coordinated phrases: a, b and c."""
    for place, word in enumerate(sentence.words):
        if word.lower in _AND and 0 < place < len(sentence.words) - 1:
            first = _item_start(sentence, place)
            while first > 1 and sentence.gaps[first].strip() == "," and _item_start(sentence, first) < first:
                first = _item_start(sentence, first)
            last = _item_end(sentence, place + 1)
            if first < place and last > place + 1:
                yield TypedSpan(first, last, "list")


def _item_start(sentence: TaggedSentence, before: int) -> int:
    """Return where the phrase that ends just before word `before` begins."""
    first = before
    while first > 0 and before - first < 5 and sentence.tags[first - 1] in _IN_ITEM:
        first -= 1
        if sentence.gaps[first].strip():
            break
    return first


def _item_end(sentence: TaggedSentence, start: int) -> int:
    last = start
    while last < len(sentence.words) and last - start < 6:
        if sentence.tags[last] not in _IN_ITEM:
            break
        if last > start and (sentence.gaps[last].strip(" '’-") or STRONG_PUNCTUATION.search(sentence.gaps[last])):
            break
        last += 1
    return last
