"""Writes a test set with a chat model, which also checks each question; what fails is replaced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.generator_spec import GeneratorSpec
from evaluation.question_writers.base import QuestionChecker, question_writers
from evaluation.question_writers.by_model.checking import QuestionChecking
from evaluation.question_writers.by_model.forms import ModelTasks
from evaluation.question_writers.by_model.out_of_scope import OutOfScopeWriting
from evaluation.question_writers.by_model.pairs import PairWriting
from evaluation.types import CheckedQuestions, DraftQuestion, Written
from rag_pipeline.embedders.base import Embed
from rag_pipeline.llm.chat import ChatModel
from rag_pipeline.llm.loop_thread import iterate_blocking
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.runtime import ModelLimits
from rag_pipeline.types import SourceDoc

_LONGEST_REPLY = 4000  # a reasoning model thinks within it
_TEMPERATURE = 0.7  # variety; what it spoils, the checks find


@question_writers.register
class ModelWriter(QuestionChecker):
    """Asks `provider:model` for questions passage by passage. `usage` says what that has cost so far."""

    key = "llm"
    label = "Language model"
    help = "Natural, varied questions, each checked by the model. Needs a model provider."

    def __init__(
        self,
        documents: Sequence[SourceDoc],
        spec: GeneratorSpec,
        embed: Embed,
        usage: UsageTally | None = None,
        *,
        asked: Sequence[DraftQuestion] = (),
        limits: ModelLimits | None = None,
    ) -> None:
        super().__init__(documents, spec, embed, usage, asked=asked)
        provider, _, name = spec.llm.partition(":")
        model = ChatModel(provider, name, temperature=_TEMPERATURE, max_tokens=_LONGEST_REPLY, limits=limits)
        self._tasks = ModelTasks(model, spec.purpose, self.usage, spec.prompts)

    def write_pairs(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield pairs as the model finishes them, a few passages at once."""
        writing = PairWriting(self._tasks, self.documents, self.spec, self.embed, done, self.asked)
        return iterate_blocking(writing.write)

    def check(self, groups: Sequence[Sequence[DraftQuestion]]) -> Iterator[CheckedQuestions]:
        """Check questions that are there, pair by pair, and mend what fails. Raises ProviderError."""
        checking = QuestionChecking(self._tasks, self.documents, self.embed)
        return iterate_blocking(lambda: checking.check(groups))

    def write_out_of_scope(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield far and near questions that the corpus was found not to answer."""
        writing = OutOfScopeWriting(self._tasks, self.documents, self.spec, self.embed, done, self.asked)
        return iterate_blocking(writing.write)
