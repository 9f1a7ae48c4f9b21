"""The extractive reader: from a question and its contexts to the sentence that answers it, or to declining."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rag_pipeline.embedders.base import Vectors
from rag_pipeline.reader.prompt_reading import PromptReading, read_prompt
from rag_pipeline.reader.sentences import Sentence, split_sentences
from rag_pipeline.reader.words import rarity, words_of
from rag_pipeline.types import Context, GenerationRequest

Embed = Callable[[Sequence[str]], Vectors]
_MIN_SUPPORT = 0.45
"""Share of the question's words, weighted by rarity, that a sentence must hold before the reader answers."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of the retrieved contexts."""

    context: Context
    sentence: Sentence

    @property
    def span(self) -> tuple[int, int]:
        """Its characters in the document."""
        start = self.context.span.start
        return start + self.sentence.start, start + self.sentence.end


@dataclass(frozen=True, slots=True)
class Reading:
    """The reader's answer to one request, and why."""

    text: str
    details: dict[str, Any]


class ExtractiveReader:
    """Reads whole blocks: the sentences and questions of all requests are embedded together."""

    def __init__(self, embed: Embed) -> None:
        self.embed = embed

    def read_many(self, requests: Sequence[GenerationRequest]) -> list[Reading]:
        """Answer `requests` in order. Raises ProviderError when embedding fails."""
        candidates = [_candidates(request.contexts) for request in requests]
        texts = [request.question for request in requests]
        texts += [found.sentence.text for row in candidates for found in row]
        distinct = list(dict.fromkeys(texts))
        vectors = self.embed(distinct) if distinct else np.zeros((0, 1), np.float32)
        rows = {text: row for row, text in enumerate(distinct)}
        return [
            _read(request, found, vectors[[rows[c.sentence.text] for c in found]] @ vectors[rows[request.question]])
            for request, found in zip(requests, candidates, strict=True)
        ]


def _candidates(contexts: Sequence[Context]) -> list[Candidate]:
    """Return the distinct sentences of overlapping contexts, best context first."""
    found: dict[tuple[int, str], Candidate] = {}
    for context in contexts:
        for sentence in split_sentences(context.text):
            found.setdefault((context.span.document_id, sentence.text), Candidate(context, sentence))
    return list(found.values())


def _read(request: GenerationRequest, candidates: list[Candidate], similarity: Vectors) -> Reading:
    prompt = read_prompt(request.template, request.refusal)
    if not candidates:
        return Reading(request.refusal if prompt.declines else "", {"reader": {"declined": prompt.declines}})
    support = np.array([_support(request.question, found.sentence.text) for found in candidates])
    scores = np.asarray(similarity) + support
    best = int(np.argmax(scores))
    margin = float(support[best] + max(0.0, float(similarity[best])) - 2 * _MIN_SUPPORT)
    declined = prompt.declines and margin < 0
    chosen = candidates[best]
    start, end = chosen.span
    details = {
        "sentence": chosen.sentence.text,
        "document": chosen.context.document,
        "start": start,
        "end": end,
        "score": round(float(scores[best]), 4),
        "margin": round(margin, 4),
        "declined": declined,
    }
    text = request.refusal if declined else _cut(chosen.sentence.text, prompt)
    return Reading(text, {"reader": details})


def _support(question: str, sentence: str) -> float:
    """Return the share of the question's words, weighted by rarity, that the sentence holds."""
    asked = {word.stem: 0.1 + rarity(word.lower) for word in words_of(question) if word.is_content}
    held = {word.stem for word in words_of(sentence)}
    total = sum(asked.values())
    return sum(weight for stem, weight in asked.items() if stem in held) / total if total else 0.0


def _cut(sentence: str, prompt: PromptReading) -> str:
    if prompt.max_words is None:
        return sentence
    words = sentence.split()
    return sentence if len(words) <= prompt.max_words else " ".join(words[: prompt.max_words])
