"""Where a new question of a test set comes from: a chat message, a document, or the test set's own page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.models import Question, TestSet
from rag_pipeline.models import Corpus, Document
from workbench.ids import as_id
from workbench.models import ChatMessage


@dataclass(frozen=True)
class QuestionSource:
    """What a request named; `corpus` is None when nothing of it exists any more."""

    corpus: Corpus | None
    message: ChatMessage | None = None
    document: Document | None = None
    testset: TestSet | None = None

    @property
    def initial(self) -> dict[str, Any]:
        """What is known already, by the names of the form's fields."""
        start: dict[str, Any] = {
            "kind": Question.Kind.SIMPLE.value,
            "testset": self.testset,
            "document": self.document,
        }
        if self.message is None:
            return start
        start |= {"text": self.message.question}
        if self.message.refused:
            return start | {"kind": Question.Kind.OUT_OF_SCOPE.value}
        used = [n for n, each in enumerate(self.message.trace.get("contexts") or []) if each.get("used")]
        return start | {"references": self.message.answer, "context": str(used[0]) if used else ""}


def find_source(values: Mapping[str, Any]) -> QuestionSource:
    """Return the message, document or test set that `values` name by id; what is gone is left out."""
    message = ChatMessage.objects.select_related("chat__corpus").filter(pk=as_id(values.get("message"))).first()
    document = Document.objects.defer("text").select_related("corpus").filter(pk=as_id(values.get("document"))).first()
    testset = TestSet.objects.select_related("corpus").filter(pk=as_id(values.get("testset"))).first()
    if message is not None:
        return QuestionSource(message.chat.corpus, message, document, testset)
    holder = document or testset
    return QuestionSource(holder.corpus if holder else None, None, document, testset)
