"""Names in a sentence, and whether they look like a person, a place or an organisation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from rag_pipeline.english.tagged_spans import TypedSpan
from rag_pipeline.english.tags import TaggedSentence, word_classes
from rag_pipeline.english.words import word_set

_JOINS = word_set("of the de la van von der da di del and for du des al ibn le el")
_ORGANISATION_FIRST = word_set("university bank ministry department house")
_PLACE_FIRST = word_set("lake mount river cape fort port san gulf")
_PLACE_BEFORE = word_set("in at from near to into")


def names(sentence: TaggedSentence) -> Iterator[TypedSpan]:
    """Yield runs of names, joined by small words, with the kind that their words and neighbours suggest."""
    place, size = 0, len(sentence.words)
    while place < size:
        if sentence.tags[place] != "name":
            place += 1
            continue
        end = place + 1
        while end < size and (step := _continues(sentence, end)):
            end += step
        yield TypedSpan(place, end, _name_kind(sentence, place, end))
        yield from _parts(sentence, place, end)
        place = end


def _continues(sentence: TaggedSentence, end: int) -> int:
    """Return by how many words a name goes on at `end`, 0 when it has ended."""
    gap, word = sentence.gaps[end].strip(), sentence.words[end].text
    if gap not in {"", ".", "&", "-", "'", "’"}:
        return 0
    if sentence.tags[end] == "name" or (not gap and word.isdigit() and len(word) < 4):
        return 1
    joins = 0
    while joins < 2 and end + joins < len(sentence.words) and sentence.words[end + joins].text in _JOINS:
        joins += 1
    after = end + joins
    if not joins or after >= len(sentence.words) or sentence.tags[after] != "name":
        return 0
    if any(gap.strip() for gap in sentence.gaps[end : after + 1]):
        return 0
    return joins + 1


def _parts(sentence: TaggedSentence, first: int, last: int) -> Iterator[TypedSpan]:
    """Yield the names on both sides of an *and* inside a run, which may be one name or two."""
    cuts = [place for place in range(first, last) if sentence.words[place].text == "and"]
    edges = [first - 1, *cuts, last]
    for left, right in pairwise(edges):
        if cuts and left + 1 < right:
            yield TypedSpan(left + 1, right, _name_kind(sentence, left + 1, right))


def _name_kind(sentence: TaggedSentence, first: int, last: int) -> str:
    words = [word.lower for word in sentence.words[first:last]]
    classes = word_classes()
    before = sentence.words[first - 1].lower if first else ""
    if words[-1] in classes["organisation"] or words[0] in _ORGANISATION_FIRST:
        return "organisation"
    if words[0] in classes["title"] or before in classes["title"] or words[0] in classes["given"]:
        return "person"
    if words[-1] in classes["place"] or words[0] in _PLACE_FIRST:
        return "place"
    if len(words) > 1 and re.search(r"\b[A-Z]\.\s", sentence.slice(first, last)):
        return "person"
    if before in _PLACE_BEFORE and len(words) <= 3:
        return "place"
    if before == "by" or (sentence.tag(last) == "verb" and len(words) in {2, 3}):
        return "person"
    return "name"
