"""The sentences of the retrieved contexts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag_pipeline.english.sentences import Sentence, split_sentences
from rag_pipeline.types import Context

Range = tuple[int, int, int]
"""A document's id with the characters of one of its sentences."""


@dataclass(frozen=True, slots=True)
class ContextSentence:
    """A sentence of a context; `in_context` has its characters there."""

    context: Context
    in_context: Sentence

    @property
    def text(self) -> str:
        """The sentence."""
        return self.in_context.text

    @property
    def start(self) -> int:
        """Where it starts in the document's text."""
        return self.context.span.start + self.in_context.start


def context_sentences(contexts: Sequence[Context]) -> list[ContextSentence]:
    """Return the sentences of the contexts, best context first.

    What overlapping chunks repeat comes once, and a sentence cut off by a chunk's edge gives way to the whole one.
    """
    split = [(context, split_sentences(context.text)) for context in contexts]
    whole = _longest(split)
    found: dict[Range, ContextSentence] = {}
    for context, sentences in split:
        for sentence in sentences:
            place = _range(context, sentence)
            if place in whole and place not in found:
                found[place] = ContextSentence(context, sentence)
    return list(found.values())


def _range(context: Context, sentence: Sentence) -> Range:
    start = context.span.start
    return context.span.document_id, start + sentence.start, start + sentence.end


def _longest(split: Sequence[tuple[Context, list[Sentence]]]) -> set[Range]:
    """Return the ranges of sentences that lie in no longer one of the same document."""
    ranges = {_range(context, sentence) for context, sentences in split for sentence in sentences}
    kept: set[Range] = set()
    furthest = (0, -1)
    for document, start, negative_end in sorted((document, start, -end) for document, start, end in ranges):
        if (document, -negative_end) > furthest or document != furthest[0]:
            kept.add((document, start, -negative_end))
            furthest = (document, -negative_end)
    return kept
