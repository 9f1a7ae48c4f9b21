"""Does the built-in reader decline a question that the documents should not answer?"""

from __future__ import annotations

from functools import cached_property

from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.passages import DocumentPassage, cut
from rag_pipeline.embedders.base import Embed
from rag_pipeline.extractive_qa.answerability import AnswerabilityModel
from rag_pipeline.extractive_qa.extractive_reader import ExtractiveReader
from rag_pipeline.extractive_qa.span_reader import shipped_reader
from rag_pipeline.extractive_qa.trained_model import card
from rag_pipeline.indexing.word_index import WordIndex
from rag_pipeline.types import Context, GenerationRequest, Span

ANSWERED = "the built-in reader would answer it from the documents"

_LONGEST = 900
_BEST_OF_CORPUS = 4


class Declining:
    """Asks the reader over the best passages of a corpus."""

    def __init__(self, corpus: CorpusText, embed: Embed) -> None:
        self._corpus = corpus
        self._embed = embed

    def is_declined(self, text: str) -> bool:
        """Return whether the reader declines a question, at its default strictness."""
        contexts = [_context(passage) for passage in self._best(text)]
        answerability = AnswerabilityModel.of(card())
        reader = ExtractiveReader(self._embed, shipped_reader(), answerability)
        found = reader.find([GenerationRequest(text, tuple(contexts), "", "", "")])[0]
        return found.probability(answerability) < answerability.strictness

    @cached_property
    def _passages(self) -> list[DocumentPassage]:
        return [passage for document in self._corpus.documents for passage in cut(document, _LONGEST)]

    @cached_property
    def _index(self) -> WordIndex:
        return WordIndex([passage.text for passage in self._passages])

    def _best(self, text: str) -> list[DocumentPassage]:
        return [self._passages[row] for row in self._index.search([text], _BEST_OF_CORPUS)[0][0]]


def _context(passage: DocumentPassage) -> Context:
    span = Span(passage.document.id, passage.start, passage.end)
    return Context(span, passage.document.name, passage.text, score=0.0, rank=1)
