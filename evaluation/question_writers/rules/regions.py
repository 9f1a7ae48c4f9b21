"""Regions of the corpus: runs of sentences that each give one question, in proportion to length."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.question_writers.rules.document_sentences import DocumentSentence
from rag_pipeline.types import SourceDoc


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a document, its sentences in the order in which they are tried."""

    document_id: int
    sentences: tuple[DocumentSentence, ...]


def allot(lengths: Sequence[int], count: int) -> list[int]:
    """Share `count` regions among documents by length: at least one each where they suffice, largest rest first."""
    total = sum(lengths)
    if not total:
        return [0] * len(lengths)
    filled = [at for at, length in enumerate(lengths) if length]
    shares = [0] * len(lengths)
    if count >= len(filled):
        for at in filled:
            shares[at] = 1
        count -= len(filled)
    exact = [length * (count + sum(shares)) / total - given for length, given in zip(lengths, shares, strict=True)]
    wanted = [max(0.0, one) for one in exact]
    scale = count / sum(wanted) if sum(wanted) else 0.0
    parts = [one * scale for one in wanted]
    whole = [int(part) for part in parts]
    order = sorted(range(len(parts)), key=lambda at: (whole[at] - parts[at], at))
    for at in order[: count - sum(whole)]:
        whole[at] += 1
    return [given + more for given, more in zip(shares, whole, strict=True)]


def regions(
    documents: Sequence[SourceDoc], sentences: dict[int, list[DocumentSentence]], count: int, rng: random.Random
) -> list[Region]:
    """Cut the corpus into about `count` regions, each with its sentences in a seeded order."""
    lengths = [sum(len(one.span) for one in sentences[doc.id]) for doc in documents]
    found: list[Region] = []
    for doc, share in zip(documents, allot(lengths, count), strict=True):
        for part in _equal_parts(sentences[doc.id], share):
            shuffled = list(part)
            rng.shuffle(shuffled)
            found.append(Region(doc.id, tuple(shuffled)))
    return found


def _equal_parts(sentences: list[DocumentSentence], count: int) -> list[list[DocumentSentence]]:
    """Cut a document's sentences into `count` parts of about the same number of characters."""
    total = sum(len(one.span) for one in sentences)
    parts: list[list[DocumentSentence]] = [[] for _ in range(count)]
    passed = 0
    for sentence in sentences:
        if count:
            parts[min(count - 1, passed * count // max(1, total))].append(sentence)
        passed += len(sentence.span)
    return [part for part in parts if part]
