"""Finds where documents answer a question whose answer is known: by its words, confirmed by the built-in reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from evaluation.question_writers.rules.passages import DocumentPassage, cut
from evaluation.types import DraftEvidence, DraftQuestion
from rag_pipeline.english.lemmas import content_lemmas
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.extractive_qa.findings import findings, read_contexts
from rag_pipeline.extractive_qa.span_reader import shipped_reader
from rag_pipeline.indexing.word_index import WordIndex
from rag_pipeline.types import Context, SourceDoc

SAYS_NOTHING = "its reference has no word that could be searched for"
NOWHERE = "no passage holds what its reference says"
UNCONFIRMED = "a passage has its words, but the built-in reader does not find the answer there"

_VERDICTS = frozenset({"yes", "no", "true", "false", "none"})
_LONGEST, _PASSAGES, _TRIED = 900, 10, 3
_ENOUGH = 0.7
"""Share of a reference's words that its evidence must hold."""
_SECOND = 0.35
"""What a second sentence must be worth: of the reference's words and of the question's."""
_SAME = 0.5
"""Share of the words found, or of the reference's, that must be in both."""


@dataclass(frozen=True, slots=True)
class _Place:
    """One or two sentences, how much of the reference and of the question they hold, and the passage around them."""

    passage: DocumentPassage
    start: int
    end: int
    worth: float

    @property
    def text(self) -> str:
        """The sentences as they stand in the document."""
        return self.passage.text[self.start : self.end]


class EvidenceSearch:
    """Searches the documents of a corpus."""

    def __init__(self, documents: Sequence[SourceDoc]) -> None:
        self._passages = [passage for document in documents for passage in cut(document, _LONGEST)]
        self._index = WordIndex([passage.text for passage in self._passages])

    def find(self, question: DraftQuestion) -> tuple[DraftEvidence | None, str]:
        """Return the evidence of a question by its references; or None and why there is none."""
        if not any(set(content_lemmas(reference)) - _VERDICTS for reference in question.references):
            return None, SAYS_NOTHING
        query = " ".join((question.text, *question.references[:1]))
        best = [self._passages[row] for row in self._index.search([query], _PASSAGES)[0][0]]
        places = sorted((place for passage in best for place in _places(passage, question)), key=_by_worth)[:_TRIED]
        for place in places:
            if _is_confirmed(place, question):
                return DraftEvidence(place.passage.span(place.start, place.end), place.text), ""
        return None, UNCONFIRMED if places else NOWHERE


def _by_worth(place: _Place) -> tuple[float, int]:
    return -place.worth, place.end - place.start


def _places(passage: DocumentPassage, question: DraftQuestion) -> Iterator[_Place]:
    """Yield the sentences, alone and by two, that hold a reference."""
    wanted = [set(content_lemmas(reference)) for reference in question.references]
    asked = set(content_lemmas(question.text))
    sentences = split_sentences(passage.text)
    for first, last in [*zip(sentences, sentences, strict=True), *pairwise(sentences)]:
        held = set(content_lemmas(passage.text[first.start : last.end]))
        answer = max(len(words & held) / len(words) for words in wanted if words)
        if answer >= _ENOUGH:
            worth = answer + len(asked & held) / max(1, len(asked)) - (_SECOND if first is not last else 0.0)
            yield _Place(passage, first.start, last.end, worth)


def _is_confirmed(place: _Place, question: DraftQuestion) -> bool:
    """Return whether the reader, given the passage, finds the reference, or answers from this very place."""
    span = place.passage.span(0, len(place.passage.text))
    contexts = [Context(span, place.passage.document.name, place.passage.text, score=0.0, rank=1)]
    found = findings([question.text], [contexts], read_contexts(shipped_reader(), [question.text], [contexts]))[0]
    if not found:
        return False
    said = set(content_lemmas(found[0].text))
    words = [set(content_lemmas(reference)) for reference in question.references]
    agree = any(len(said & one) >= _SAME * min(len(said), len(one)) for one in words if one and said)
    return agree or found[0].sentence.text.strip() in place.text
