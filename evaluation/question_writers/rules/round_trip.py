"""Round-trip check: a question is kept when the built-in reader finds its answer again."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.document_sentences import DocumentSentence, plain_text
from evaluation.question_writers.rules.passages import DocumentPassage, cut
from evaluation.question_writers.rules.simple import SimpleQuestion
from rag_pipeline.embedders.base import Embed
from rag_pipeline.extractive_qa.answerability import AnswerabilityModel
from rag_pipeline.extractive_qa.extractive_reader import ExtractiveReader
from rag_pipeline.extractive_qa.findings import Finding, findings, read_contexts
from rag_pipeline.extractive_qa.question_analysis import analyse_question
from rag_pipeline.extractive_qa.span_reader import shipped_reader
from rag_pipeline.extractive_qa.trained_model import card
from rag_pipeline.indexing.word_index import WordIndex
from rag_pipeline.types import Context, GenerationRequest, Span

NOT_FOUND = "the built-in reader did not find the answer again"
ANSWERED = "the built-in reader would answer it from the documents"

_EXEMPT = frozenset({"said", "item", "entry", "stands_for"})
"""Kinds that are not checked: their rules make sure of the answer, and the reader often fails on them.

`said`: the corpus has the speech once, with its speaker. `item`, `entry`: it is the description of a term in a list.
`stands_for`: the initials are those of the words before the bracket.
"""
_BY_SENTENCE = frozenset({"why", "how", "held", "stated_of", "described", "happens"})
"""Kinds that a clause answers, not a phrase: the right sentence is enough."""
_SHARED = 0.5
"""How much of the shorter of the two, phrase found and answer, must be in the other.

Not token F1: the reader stops earlier (`an English illustrator` of `an English illustrator best known for …`), so that
a limit low enough for that would let through any phrase that shares a word.
"""
_SAME = 0.6
"""Token F1 from which a phrase of any other sentence is the answer too (`2010` for `early 2010`)."""
_LONGEST = 900
_ELSEWHERE = 1
_BEST_OF_CORPUS = 4
_TOKEN = re.compile(r"\w+")


class RoundTrip:
    """Answers questions over the passages around their evidence and over the best passages of the corpus."""

    def __init__(self, corpus: CorpusStatistics, embed: Embed) -> None:
        self._corpus = corpus
        self._embed = embed
        self._names = {doc.id: doc.name for doc in corpus.documents}
        self._texts = {doc.id: doc.text for doc in corpus.documents}

    def objection(self, question: SimpleQuestion) -> str:
        """Return why a question is left out: the reader does not find its answer; else an empty string."""
        return "" if self._is_answered(question.candidate.text, question) else NOT_FOUND

    def first_answered(self, wordings: Iterable[str], question: SimpleQuestion) -> int | None:
        """Return the number of the first wording of a question that the reader answers; None for none.

        The asking clause is enough: a situation before it may confuse the reader, but changes no answer.
        """
        for number, wording in enumerate(wordings):
            if any(
                self._is_answered(text, question) for text in dict.fromkeys((analyse_question(wording).core, wording))
            ):
                return number
        return None

    def is_declined(self, text: str) -> bool:
        """Return whether the reader declines over the best passages of the corpus, at its default strictness."""
        contexts = [self._context(passage.document.id, passage.start, passage.end) for passage in self._best(text)]
        answerability = AnswerabilityModel.of(card())
        reader = ExtractiveReader(self._embed, shipped_reader(), answerability)
        found = reader.find([GenerationRequest(text, tuple(contexts), "", "", "")])[0]
        return found.probability(answerability) < answerability.strictness

    def _is_answered(self, text: str, question: SimpleQuestion) -> bool:
        if question.candidate.kind in _EXEMPT or _is_apposition(question):
            return True
        contexts = [*self._around(question.sentence), *self._elsewhere(text, question.sentence)]
        found = findings([text], [contexts], read_contexts(shipped_reader(), [text], [contexts]))[0]
        return bool(found) and _is_answer(found[0], question)

    @cached_property
    def _passages(self) -> list[DocumentPassage]:
        return [passage for document in self._corpus.documents for passage in cut(document, _LONGEST)]

    @cached_property
    def _index(self) -> WordIndex:
        return WordIndex([passage.text for passage in self._passages])

    def _best(self, text: str) -> list[DocumentPassage]:
        return [self._passages[row] for row, _ in self._index.search([text], _BEST_OF_CORPUS)[0]]

    def _around(self, sentence: DocumentSentence) -> Iterator[Context]:
        """Yield the passage that holds a sentence about in its middle, the one before it and the one behind it."""
        document = sentence.span.document_id
        spans = [one.span for one in self._corpus.sentences[document]]
        at = max(0, bisect_right([one.start for one in spans], sentence.span.start) - 1)  # code stands behind one
        first = _reach(spans, at, -1, _LONGEST // 2)
        last = _reach(spans, at, 1, _LONGEST // 2)
        yield self._context(document, spans[first].start, max(spans[last].end, sentence.span.end))
        if first:
            yield self._context(document, spans[_reach(spans, first - 1, -1)].start, spans[first - 1].end)
        if last + 1 < len(spans):
            yield self._context(document, spans[last + 1].start, spans[_reach(spans, last + 1, 1)].end)

    def _elsewhere(self, text: str, sentence: DocumentSentence) -> Iterator[Context]:
        """Yield the passages that share most words with the question, away from the evidence."""
        span = sentence.span
        low, high = span.start - _LONGEST, span.end + _LONGEST
        away = [
            passage
            for passage in self._best(text)
            if passage.document.id != span.document_id or passage.end <= low or passage.start >= high
        ]
        for passage in away[:_ELSEWHERE]:
            yield self._context(passage.document.id, passage.start, passage.end)

    def _context(self, document: int, start: int, end: int) -> Context:
        text = self._texts[document][start:end]
        return Context(Span(document, start, end), self._names[document], text, score=0.0, rank=1)


def _reach(spans: Sequence[Span], at: int, step: int, longest: int = _LONGEST) -> int:
    """Return the furthest sentence from `at` in steps of 1 or -1 before the range would be too long."""
    end = at
    while 0 <= end + step < len(spans):
        first, last = min(at, end + step), max(at, end + step)
        if spans[last].end - spans[first].start > longest:
            break
        end += step
    return end


def _is_apposition(question: SimpleQuestion) -> bool:
    """Return whether a definition is an apposition (`Pawiak, an infamous prison, …`), where the reader often fails."""
    answer, text = question.candidate.answer, question.sentence.text
    return question.candidate.kind == "definition" and (f", {answer}" in text or f"– {answer}" in text)


def _is_answer(found: Finding, question: SimpleQuestion) -> bool:
    """Return whether a finding is the answer itself, or lies in the evidence or its repeat and overlaps the answer."""
    phrase, answer = (
        Counter(_TOKEN.findall(plain_text(text).lower())) for text in (found.text, question.candidate.answer)
    )
    shared = (phrase & answer).total()
    if 2 * shared >= _SAME * (phrase.total() + answer.total()):
        return True
    span, place = question.sentence.span, found.sentence
    same = place.context.span.document_id == span.document_id
    inside = same and place.start < span.end and span.start < place.start + len(place.text)
    if not inside and question.sentence.text not in plain_text(place.text):
        return False
    return question.candidate.kind in _BY_SENTENCE or shared >= max(1, _SHARED * min(phrase.total(), answer.total()))
