"""The sentences of the retrieved contexts, and how a question's words and meaning are found in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rag_pipeline.embedders.base import Vectors
from rag_pipeline.reader.matching import Match, WordVectors, match, tagged
from rag_pipeline.reader.questions import QuestionReading
from rag_pipeline.reader.sentences import Sentence, split_sentences
from rag_pipeline.types import Context

_READ_CLOSELY = 8
"""Sentences that are read word by word; the others are too far from the question to hold its answer."""


Range = tuple[int, int, int]
"""A document's id with the characters of one of its sentences."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of a context. `before` is the place of the sentence before it in the same context, -1 without one."""

    context: Context
    sentence: Sentence
    before: int

    @property
    def text(self) -> str:
        """The sentence."""
        return self.sentence.text

    @property
    def start(self) -> int:
        """Where it starts in the document's text."""
        return self.context.span.start + self.sentence.start


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known of one question's sentences. `close` are the places of those read closely, best first."""

    question: QuestionReading
    passages: list[Passage]
    cosines: Vectors
    close: list[int]
    matches: dict[int, Match]


def passages_of(contexts: Sequence[Context]) -> list[Passage]:
    """Return the sentences of the contexts, best context first.

    What overlapping chunks repeat comes once, and a sentence cut off by a chunk's edge gives way to the whole one.
    """
    split = [(context, split_sentences(context.text)) for context in contexts]
    whole = _longest(split)
    found: dict[Range, int] = {}
    passages: list[Passage] = []
    for context, sentences in split:
        before = -1
        for sentence in sentences:
            place = _range(context, sentence)
            if place in whole:
                if place not in found:
                    found[place] = len(passages)
                    passages.append(Passage(context, sentence, before))
                before = found[place]
    return passages


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


def closest(question: QuestionReading, passages: Sequence[Passage], cosines: Vectors) -> list[int]:
    """Return the places of the sentences to read closely: by cosine and by the words they share."""
    support = [match(question, tagged(passage.text)).support for passage in passages]
    order = np.argsort(-(cosines + np.array(support, np.float32)), kind="stable")
    return [int(place) for place in order[:_READ_CLOSELY]]


def gather(
    question: QuestionReading, passages: list[Passage], cosines: Vectors, close: list[int], words: WordVectors
) -> Evidence:
    """Return the evidence for one question; the words of its sentences are known to `words`."""
    wanted = {*close, *(passages[place].before for place in close)} - {-1}
    matches = {place: match(question, tagged(passages[place].text), words) for place in wanted}
    return Evidence(question, passages, cosines, close, matches)
