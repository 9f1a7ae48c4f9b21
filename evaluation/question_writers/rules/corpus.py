"""The documents as rules see them: sentences with their places, what is known throughout, which sentence holds what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from evaluation.question_writers.rules.document_sentences import DocumentSentence, split_document
from evaluation.question_writers.rules.same_things import SameThings
from evaluation.question_writers.rules.sentence_index import SentenceIndex
from evaluation.question_writers.rules.standing_alone import KnownThings
from rag_pipeline.types import SourceDoc

_LONGEST_TITLE = 90
"""Characters."""


class CorpusText:
    """The documents of a test set."""

    def __init__(self, documents: Sequence[SourceDoc]) -> None:
        self.documents = documents
        self.sentences: dict[int, list[DocumentSentence]] = {doc.id: split_document(doc) for doc in documents}

    @cached_property
    def index(self) -> SentenceIndex:
        """All sentences by their words."""
        return SentenceIndex([one.text for doc in self.documents for one in self.sentences[doc.id]])

    @cached_property
    def known(self) -> dict[int, KnownThings]:
        """What each document speaks of throughout."""
        return {doc.id: KnownThings(self.sentences[doc.id]) for doc in self.documents}

    @cached_property
    def same_things(self) -> dict[int, SameThings]:
        """What `the city` means in each document."""
        return {doc.id: SameThings(self.sentences[doc.id]) for doc in self.documents}

    @cached_property
    def titles(self) -> dict[int, str]:
        """The first line of each document, which stands for a title where no heading does."""
        first = {doc.id: next(filter(str.strip, doc.text.splitlines()), "") for doc in self.documents}
        return {number: line.strip("# \t=")[:_LONGEST_TITLE] for number, line in first.items()}

    @cached_property
    def texts(self) -> dict[int, str]:
        """The text of each document by its id."""
        return {doc.id: doc.text for doc in self.documents}
