"""Spans of words that have a kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rag_pipeline.english.tags import TaggedSentence


@dataclass(frozen=True, slots=True)
class TypedSpan:
    """Words `first` to `last` (exclusive) of a sentence and what kind of thing they are."""

    first: int
    last: int
    kind: str


def words_within(sentence: TaggedSentence, start: int, end: int, kind: str) -> Iterator[TypedSpan]:
    """Yield the words that touch characters `start` to `end` as one span; nothing where there are none."""
    inside = [place for place, word in enumerate(sentence.words) if word.start < end and word.end > start]
    if inside:
        yield TypedSpan(inside[0], inside[-1] + 1, kind)
