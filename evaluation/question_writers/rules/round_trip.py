"""Round-trip check: a question is kept when the built-in reader finds its answer again."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.document_sentences import DocumentSentence, plain_text
from evaluation.question_writers.rules.passages import DocumentPassage, cut
from rag_pipeline.embedders.base import Embed
from rag_pipeline.extractive_qa.answerability import AnswerabilityModel
from rag_pipeline.extractive_qa.extractive_reader import ExtractiveReader
from rag_pipeline.extractive_qa.findings import Finding, findings, read_contexts
from rag_pipeline.extractive_qa.span_reader import shipped_reader
from rag_pipeline.extractive_qa.trained_model import card
from rag_pipeline.indexing.word_index import WordIndex
from rag_pipeline.types import Context, GenerationRequest, Span

NOT_FOUND = "the built-in reader did not find the answer again"
ANSWERED = "the built-in reader would answer it from the documents"

_BY_SENTENCE = frozenset(
    {
        "why",
        "how",
        "happens",
        "definition",
        "apposition",
        "does",
        "how_to",
    }
)
"""Kinds that a clause answers, not a phrase: the right sentence is enough."""
_SHARED = 0.5
"""How much of the shorter of the two, phrase found and answer, must be in the other.

Not token F1: the reader stops earlier (`an English illustrator` of `an English illustrator best known for …`), so that
a limit low enough for that would let through any phrase that shares a word.
"""
_SAME = 0.6
"""Token F1 from which a phrase of any other sentence is the answer too (`2010` for `early 2010`)."""
_LONGEST = 900
_BEST_OF_CORPUS = 4
_TOKEN = re.compile(r"\w+")


class RoundTrip:
    """Answers questions over the passages around their evidence, and over the best passages of the corpus."""

    def __init__(self, corpus: CorpusText, embed: Embed) -> None:
        self._corpus = corpus
        self._embed = embed
        self._names = {doc.id: doc.name for doc in corpus.documents}
        self._texts = {doc.id: doc.text for doc in corpus.documents}

    def objection(self, question: Candidate) -> str:
        """Return why a question is left out: the reader does not find its answer; else an empty string."""
        return "" if self._is_answered(question.text, question) else NOT_FOUND

    def is_declined(self, text: str) -> bool:
        """Return whether the reader declines over the best passages of the corpus, at its default strictness."""
        contexts = [self._context(passage.document.id, passage.start, passage.end) for passage in self._best(text)]
        answerability = AnswerabilityModel.of(card())
        reader = ExtractiveReader(self._embed, shipped_reader(), answerability)
        found = reader.find([GenerationRequest(text, tuple(contexts), "", "", "")])[0]
        return found.probability(answerability) < answerability.strictness

    def _is_answered(self, text: str, question: Candidate) -> bool:
        contexts = [self._around(question.sentence)]
        found = findings([text], [contexts], read_contexts(shipped_reader(), [text], [contexts]))[0]
        return bool(found) and _is_answer(found[0], question)

    @cached_property
    def _passages(self) -> list[DocumentPassage]:
        return [passage for document in self._corpus.documents for passage in cut(document, _LONGEST)]

    @cached_property
    def _index(self) -> WordIndex:
        return WordIndex([passage.text for passage in self._passages])

    def _best(self, text: str) -> list[DocumentPassage]:
        return [self._passages[row] for row in self._index.search([text], _BEST_OF_CORPUS)[0][0]]

    def _around(self, sentence: DocumentSentence) -> Context:
        """Return the passage that holds a sentence about in its middle."""
        document = sentence.span.document_id
        spans = [one.span for one in self._corpus.sentences[document]]
        at = bisect_left([one.start for one in spans], sentence.span.start)
        first = _reach(spans, at, -1, _LONGEST // 2)
        last = _reach(spans, at, 1, _LONGEST // 2)
        return self._context(document, spans[first].start, spans[last].end)

    def _context(self, document: int, start: int, end: int) -> Context:
        text = self._texts[document][start:end]
        return Context(Span(document, start, end), self._names[document], text, score=0.0, rank=1)


def _reach(spans: Sequence[Span], at: int, step: int, longest: int) -> int:
    """Return the furthest sentence from `at` in steps of 1 or -1 before the range would be too long."""
    end = at
    while 0 <= end + step < len(spans):
        first, last = min(at, end + step), max(at, end + step)
        if spans[last].end - spans[first].start > longest:
            break
        end += step
    return end


def _is_answer(found: Finding, question: Candidate) -> bool:
    """Return whether a finding is the answer itself, or lies in the evidence or its repeat and overlaps the answer."""
    phrase, answer = (Counter(_TOKEN.findall(plain_text(text).lower())) for text in (found.text, question.answer))
    shared = (phrase & answer).total()
    if 2 * shared >= _SAME * (phrase.total() + answer.total()):
        return True
    span, place = question.sentence.span, found.sentence
    same = place.context.span.document_id == span.document_id
    inside = same and place.start < span.end and span.start < place.start + len(place.text)
    if not inside and question.sentence.text not in plain_text(place.text):
        return False
    return question.rule in _BY_SENTENCE or shared >= max(1, _SHARED * min(phrase.total(), answer.total()))
