"""The built-in reader: from a question and its contexts to the phrase that answers it, or to declining."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rag_pipeline.embedders.base import Embed
from rag_pipeline.extractive_qa.answerability import AnswerabilityModel
from rag_pipeline.extractive_qa.findings import Finding, findings, read_contexts
from rag_pipeline.extractive_qa.kept_answers import ReaderAnswer
from rag_pipeline.extractive_qa.prompt_instructions import PromptInstructions, read_instructions
from rag_pipeline.extractive_qa.question_analysis import QuestionAnalysis, analyse_question
from rag_pipeline.extractive_qa.signals import Cosines, signals, texts_to_compare
from rag_pipeline.extractive_qa.span_reader import SpanReader
from rag_pipeline.extractive_qa.trimming import answer_range
from rag_pipeline.rewriting.core_question import core_question
from rag_pipeline.types import GenerationRequest, Span

_PROBABILITY_BY_FORM = 0.95
"""Probability of an answer that the form of the text gives."""


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What was found for a request: possible answers, best first, and the signals of the best; empty for no text.

    `kept_s` as in `ReaderAnswer`.
    """

    question: QuestionAnalysis
    findings: list[Finding]
    signals: dict[str, float]
    kept_s: float = 0.0

    def probability(self, answerability: AnswerabilityModel) -> float:
        """Return the probability that the best finding is right, 0 to 1; 0 where nothing was found."""
        if not self.findings:
            return 0.0
        return _PROBABILITY_BY_FORM if self.findings[0].by_form else answerability.probability(self.signals)


class ExtractiveReader:
    """Reads whole blocks: the passages and sentences of all requests go through the models together.

    `embed` compares sentences with the question; `strictness` None = as the shipped card says.
    """

    def __init__(
        self, embed: Embed, reader: SpanReader, answerability: AnswerabilityModel, strictness: float | None = None
    ) -> None:
        self._embed, self._reader, self._answerability = embed, reader, answerability
        self._strictness = answerability.strictness if strictness is None else strictness

    def read_many(self, requests: Sequence[GenerationRequest]) -> list[ReaderAnswer]:
        """Answer `requests` in order. Raises ProviderError when embedding fails."""
        prompts = [read_instructions(request.template, request.refusal) for request in requests]
        return [self._read(*one) for one in zip(requests, prompts, self.find(requests), strict=True)]

    def find(self, requests: Sequence[GenerationRequest]) -> list[ReadResult]:
        """Return what is found for each request, whatever its prompt asks for."""
        # Without its asker's circumstances a question is read better: F1 .61 for .47 on complex twins.
        asked = [core_question(request.question, _any_word) for request in requests]
        questions = [analyse_question(text) for text in asked]
        contexts = [request.contexts for request in requests]
        readings = read_contexts(self._reader, asked, contexts)
        found = findings(asked, contexts, readings)
        cosines = self._cosines(questions, found)
        return [
            ReadResult(
                question,
                each,
                signals(question, each, near, lengths=[len(context.text) for context in given]) if each else {},
                sum(reading.kept_s for reading in read),
            )
            for question, each, near, read, given in zip(questions, found, cosines, readings, contexts, strict=True)
        ]

    def _cosines(self, questions: Sequence[QuestionAnalysis], found: Sequence[Sequence[Finding]]) -> list[Cosines]:
        """Return the cosine of each question with the sentences that it is compared with; one batch for all."""
        rows = [texts_to_compare(each) for each in found]
        texts = [question.core for question, row in zip(questions, rows, strict=True) if row]
        distinct = {
            text: place for place, text in enumerate(dict.fromkeys([*texts, *(text for row in rows for text in row)]))
        }
        if not distinct:
            return [{} for _ in questions]
        vectors = self._embed(list(distinct))
        return [
            {text: float(vectors[distinct[text]] @ vectors[distinct[question.core]]) for text in row}
            for question, row in zip(questions, rows, strict=True)
        ]

    def _read(self, request: GenerationRequest, prompt: PromptInstructions, found: ReadResult) -> ReaderAnswer:
        understood = {"expects": found.question.kind, "prompt": prompt.explain(), "strictness": self._strictness}
        if not found.findings:
            declined = prompt.declines
            details = {**understood, "declined": declined}
            return ReaderAnswer(request.refusal if declined else "", {"reader": details}, found.kept_s)
        best = found.findings[0]
        probability = found.probability(self._answerability)
        declined = prompt.declines and probability < self._strictness
        start, end = answer_range(found.question, best, prompt)
        details = {
            **understood,
            **_where(best, start, end),
            "score": round(best.worth, 3),
            "probability": round(probability, 3),
            "far": found.signals["closest"] < self._answerability.far,
            "declined": declined,
        }
        answer = request.refusal if declined else best.sentence.text[start:end]
        return ReaderAnswer(answer, {"reader": details}, found.kept_s)


def _any_word(_: str) -> bool:
    """A circumstance that may matter stays."""
    return True


def _where(best: Finding, start: int, end: int) -> dict[str, Any]:
    """Return the chosen sentence and answer with their characters in the document."""
    sentence = best.sentence
    place = Span(sentence.context.span.document_id, sentence.start, sentence.start + len(sentence.text))
    return {
        "sentence": sentence.text,
        "document": sentence.context.document,
        **place.as_json(),
        "answer": sentence.text[start:end],
        "answer_start": sentence.start + start,
        "answer_end": sentence.start + end,
    }
