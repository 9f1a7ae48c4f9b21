"""The extractive reader: from a question and its contexts to the phrase that answers it, or to declining."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rag_pipeline.embedders.base import Vectors
from rag_pipeline.reader.declining import margin
from rag_pipeline.reader.evidence import Evidence, Passage, closest, gather, passages_of
from rag_pipeline.reader.matching import Embed, WordVectors, has_meaning, tagged
from rag_pipeline.reader.prompt_reading import PromptReading, read_prompt
from rag_pipeline.reader.questions import QuestionReading, read_question
from rag_pipeline.reader.scoring import Choice, choose
from rag_pipeline.reader.trimming import answer_text
from rag_pipeline.types import GenerationRequest


@dataclass(frozen=True, slots=True)
class Reading:
    """The reader's answer to one request, and why (JSON-ready)."""

    text: str
    details: dict[str, Any]


class ExtractiveReader:
    """Reads whole blocks: the sentences and questions of all requests are embedded together."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._words = WordVectors(embed)

    def read_many(self, requests: Sequence[GenerationRequest]) -> list[Reading]:
        """Answer `requests` in order. Raises ProviderError when embedding fails."""
        prompts = [read_prompt(request.template, request.refusal) for request in requests]
        evidence = self.evidence_for(requests)
        return [_read(*one) for one in zip(requests, prompts, evidence, strict=True)]

    def evidence_for(self, requests: Sequence[GenerationRequest]) -> list[Evidence]:
        """Return the evidence of each request: one batch of sentences, then one of single words."""
        questions = [read_question(request.question) for request in requests]
        passages = [passages_of(request.contexts) for request in requests]
        cosines = self._cosines(questions, passages)
        close = [closest(*one) for one in zip(questions, passages, cosines, strict=True)]
        self._words.learn(_words_to_learn(questions, passages, close))
        rows = zip(questions, passages, cosines, close, strict=True)
        return [gather(*one, self._words) for one in rows]

    def _cosines(self, questions: Sequence[QuestionReading], passages: Sequence[list[Passage]]) -> list[Vectors]:
        texts = [question.core for question in questions] + [one.text for row in passages for one in row]
        distinct = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        if not distinct:
            return []
        vectors = self._embed(list(distinct))
        return [
            vectors[[distinct[one.text] for one in row]] @ vectors[distinct[question.core]]
            if row
            else np.zeros(0, np.float32)
            for question, row in zip(questions, passages, strict=True)
        ]


def _words_to_learn(
    questions: Sequence[QuestionReading], passages: Sequence[list[Passage]], close: Sequence[list[int]]
) -> list[str]:
    """Return the words of the questions and of the sentences read closely, those before them included."""
    words = [word for question in questions for word in question.words.values()]
    for row, places in zip(passages, close, strict=True):
        for place in {*places, *(row[place].before for place in places)} - {-1}:
            words += [word.lower for word in tagged(row[place].text).words if has_meaning(word)]
    return words


def _read(request: GenerationRequest, prompt: PromptReading, evidence: Evidence) -> Reading:
    understood = {"expects": evidence.question.kind, "prompt": prompt.explain()}
    if not evidence.close:
        declined = prompt.declines
        return Reading(request.refusal if declined else "", {"reader": {**understood, "declined": declined}})
    choice = choose(evidence)[0]
    spare = margin(evidence, choice)
    declined = prompt.declines and spare < 0
    start, end = answer_text(evidence.question, choice, prompt)
    details = {**understood, **_where(choice, start, end), "margin": round(spare, 3), "declined": declined}
    return Reading(request.refusal if declined else choice.passage.text[start:end], {"reader": details})


def _where(choice: Choice, start: int, end: int) -> dict[str, Any]:
    """Return the chosen sentence and answer with their characters in the document."""
    passage = choice.passage
    return {
        "sentence": passage.text,
        "document": passage.context.document,
        "document_id": passage.context.span.document_id,
        "start": passage.start,
        "end": passage.start + len(passage.text),
        "answer": passage.text[start:end],
        "answer_start": passage.start + start,
        "answer_end": passage.start + end,
        "kind": choice.kind,
        "score": round(choice.score, 3),
    }
