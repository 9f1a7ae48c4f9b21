"""Possible answers in all contexts of a question: the best span of each sentence, each sentence once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.extractive_qa.context_sentences import ContextSentence, Range, context_sentences
from rag_pipeline.extractive_qa.decoding import AnswerSpan
from rag_pipeline.extractive_qa.kept_readings import Reading
from rag_pipeline.extractive_qa.lists_and_code import answer_by_form
from rag_pipeline.extractive_qa.span_reader import SpanReader
from rag_pipeline.types import Context


@dataclass(frozen=True, slots=True)
class Finding:
    """A possible answer. `start`, `end` are its characters in the sentence; `span` is what the network says of it.

    `by_form`: a list or a line of code gives it (`lists_and_code`), whatever the network says.
    """

    sentence: ContextSentence
    start: int
    end: int
    span: AnswerSpan
    by_form: bool = False

    @property
    def text(self) -> str:
        """The phrase."""
        return self.sentence.text[self.start : self.end]

    @property
    def worth(self) -> float:
        """What findings of different contexts are compared by."""
        return self.span.worth + self.span.answerable


def findings(
    questions: Sequence[str], contexts: Sequence[Sequence[Context]], readings: Sequence[Sequence[Reading]]
) -> list[list[Finding]]:
    """Return for each question what was found in its contexts, best first, at most one a sentence.

    `readings[i][k]`: what the reader found in context k of question i.

    A sentence that overlapping contexts repeat counts once, where it is worth most; one that a context's edge cuts off
    gives way to the whole one.
    """
    found = []
    for question, row, own in zip(questions, contexts, readings, strict=True):
        sentences = context_sentences(row)
        found.append(_form_first(question, sentences, _joined(row, sentences, [reading.spans for reading in own])))
    return found


def read_contexts(
    reader: SpanReader, questions: Sequence[str], contexts: Sequence[Sequence[Context]]
) -> list[list[Reading]]:
    """Return what the reader finds in each context of each question."""
    return reader.read(questions, [[context.text for context in row] for row in contexts])


def _form_first(question: str, sentences: Sequence[ContextSentence], found: list[Finding]) -> list[Finding]:
    """Return the findings with the answer that a list or a line of code gives before them."""
    answer = answer_by_form(question, sentences) if found else None
    if answer is None:
        return found
    same = next((one for one in found if one.sentence == answer.sentence), None)
    first = Finding(answer.sentence, answer.start, answer.end, (same or found[0]).span, by_form=True)
    return [first, *(one for one in found if one is not same)]


def _joined(
    contexts: Sequence[Context], kept: Sequence[ContextSentence], spans: Sequence[Sequence[AnswerSpan]]
) -> list[Finding]:
    whole = {_range(one.context, one.in_context.start, one.in_context.end): one for one in kept}
    found: dict[Range, Finding] = {}
    for context, own in zip(contexts, spans, strict=True):
        sentences = split_sentences(context.text)
        for span in own:
            sentence = sentences[span.sentence]
            place = _range(context, sentence.start, sentence.end)
            if place in whole:
                finding = Finding(whole[place], span.start - sentence.start, span.end - sentence.start, span)
                if place not in found or finding.worth > found[place].worth:
                    found[place] = finding
    return sorted(found.values(), key=lambda finding: -finding.worth)


def _range(context: Context, start: int, end: int) -> Range:
    return context.span.document_id, context.span.start + start, context.span.start + end
