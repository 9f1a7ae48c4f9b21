"""A question that a rule makes of a clause, with its answer, before it is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evaluation.question_writers.rules.document_sentences import DocumentSentence

Wording = Callable[[bool], str]
"""Words a question: in the document's words (False) or in other ones (True)."""


@dataclass(frozen=True)
class Candidate:
    """A question, its shortest right answer, and the sentences that the answer rests on, in order.

    `text` asks in the document's words; `others` ask the same in other ones. `topic`: what it is about.
    `answered_by`: which sentence has the answer. `doubt`: what a rule found against it, which the ranker weighs.
    """

    rule: str
    text: str
    others: tuple[str, ...]
    answer: str
    topic: str
    sentences: tuple[DocumentSentence, ...]
    answered_by: int = 0
    doubt: str = ""

    @property
    def sentence(self) -> DocumentSentence:
        """The sentence that holds the answer."""
        return self.sentences[self.answered_by]


@dataclass(frozen=True)
class Ask:
    """What a rule returns: wordings of one question, the answer, and further wordings."""

    wording: Wording
    answer: str
    others: tuple[str, ...] = ()
