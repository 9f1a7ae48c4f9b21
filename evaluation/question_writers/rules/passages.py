"""Passages of documents that a model writes questions about, and that are searched for answers."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.question_writers.rules.regions import allot
from rag_pipeline.types import SourceDoc, Span

_ENDS = (re.compile(r"\n\s*\n"), re.compile(r"\n|(?<=[.!?。！？])\s+|(?<=[。！？])"), re.compile(r"\s+"))


@dataclass(frozen=True, slots=True)
class DocumentPassage:
    """A range of a document."""

    document: SourceDoc
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters as they stand in the document."""
        return self.document.text[self.start : self.end]

    def span(self, start: int, end: int) -> Span:
        """Return the span of characters counted from the passage's beginning."""
        return Span(self.document.id, self.start + start, self.start + end)


def cut(document: SourceDoc, longest: int) -> list[DocumentPassage]:
    """Cut a document into passages of at most `longest` characters, at paragraph, sentence or word ends."""
    passages = []
    start = 0
    while start < len(document.text):
        end = _end(document.text, start, longest)
        if document.text[start:end].strip():
            passages.append(DocumentPassage(document, start, end))
        start = end
    return passages


def in_asking_order(
    documents: Sequence[SourceDoc], count: int, rng: random.Random, longest: int = 2400
) -> list[DocumentPassage]:
    """Return all passages, first the `count` that are asked: by length of the documents, spread over each of them."""
    cuts = [cut(document, longest) for document in documents]
    shares = allot([sum(len(passage.text.strip()) for passage in passages) for passages in cuts], count)
    first: list[DocumentPassage] = []
    spare: list[DocumentPassage] = []
    for passages, share in zip(cuts, shares, strict=True):
        chosen = {rng.choice(part) for part in _parts(len(passages), share)}
        first += [passages[at] for at in sorted(chosen)]
        spare += [passage for at, passage in enumerate(passages) if at not in chosen]
    rng.shuffle(first)
    rng.shuffle(spare)
    return first + spare


def _parts(length: int, count: int) -> list[range]:
    """Cut the numbers below `length` into at most `count` ranges of about the same size."""
    count = min(count, length)
    return [range(part * length // count, (part + 1) * length // count) for part in range(count)]


def _end(text: str, start: int, longest: int) -> int:
    """Return where a passage from `start` ends best: at the last good boundary of its second half."""
    if len(text) - start <= longest:
        return len(text)
    for boundary in _ENDS:
        ends = [match.end() for match in boundary.finditer(text, start + longest // 2, start + longest)]
        if ends:
            return ends[-1]
    return start + longest
