"""Question writers: documents to questions with references and exact evidence."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence

from evaluation.spec import GeneratorSpec
from evaluation.types import DraftQuestion, Written
from rag_pipeline.embedders.base import Vectors
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.registry import Registry, Unit
from rag_pipeline.types import SourceDoc


class QuestionWriter(Unit):
    """Writes a test set over `documents` as `spec` asks, the same for the same seed.

    Both methods yield as they go and end early when the documents hold no more good questions; the caller counts and
    tells the user. `done` is what an interrupted earlier call already stored: go on after it, repeat nothing.
    """

    def __init__(
        self, documents: Sequence[SourceDoc], spec: GeneratorSpec, embed: Callable[[Sequence[str]], Vectors]
    ) -> None:
        super().__init__()
        self.documents = documents
        self.spec = spec
        self.embed = embed
        self.usage = UsageTally()
        """What the writing has cost so far; nothing where no model is asked."""

    @abstractmethod
    def write_pairs(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield until `spec.pairs` pairs are made. Raises ProviderError when the model cannot be used at all."""

    @abstractmethod
    def write_out_of_scope(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield until `spec.out_of_scope` questions are made, half of them `far`, half `near`."""


question_writers: Registry[QuestionWriter] = Registry("question writer", "evaluation.question_writers")
"""By key: `builtin` (rules), `llm` (any chat model)."""
