"""Question writers: documents and settings in, questions with references, exact evidence and reasons out.

`write_questions`, `question_completer` and `check_questions` are all that the rest of the workbench calls.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal

from evaluation.generator_spec import GeneratorSpec
from evaluation.types import CheckedQuestions, DraftEvidence, DraftQuestion, Written
from rag_pipeline.embedders.base import Embed
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.llm.target import BUILTIN_READER
from rag_pipeline.prompt_files import read_prompts
from rag_pipeline.registry import Registry, Unit
from rag_pipeline.types import SourceDoc

Stage = Literal["pairs", "out_of_scope"]
"""What is written: simple questions with their complex twins, or questions that the documents do not answer."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What questions that are there are completed with; `out_of_scope`: how many there are to be in all.

    `check`: the model, `provider:model`, that checks and mends them; empty for none.
    """

    twins: bool = True
    evidence: bool = True
    out_of_scope: int = 0
    check: str = ""


class QuestionWriter(Unit):
    """Writes a test set over `documents` as `spec` asks, the same for the same seed.

    Both methods yield as they go and end early when the documents hold no more good questions; the caller counts and
    tells the user. `done` is what an interrupted earlier call already stored: go on after it, repeat nothing.
    `usage` counts what the model calls have taken so far; it stays empty where no model is asked. `asked`: questions of
    another set; neither their texts nor a character of their evidence is used again.
    """

    def __init__(
        self,
        documents: Sequence[SourceDoc],
        spec: GeneratorSpec,
        embed: Embed,
        usage: UsageTally | None = None,
        *,
        asked: Sequence[DraftQuestion] = (),
    ) -> None:
        super().__init__()
        self.documents = documents
        self.spec = spec
        self.embed = embed
        self.usage = usage if usage is not None else UsageTally()
        self.asked = asked

    @abstractmethod
    def write_pairs(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield until `spec.pairs` pairs are made. Raises ProviderError when the model cannot be used at all."""

    @abstractmethod
    def write_out_of_scope(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield until `spec.out_of_scope` questions are made, half of them `far`, half `near`."""


class QuestionChecker(QuestionWriter):
    """A writer that also checks questions which are there."""

    @abstractmethod
    def check(self, groups: Sequence[Sequence[DraftQuestion]]) -> Iterator[CheckedQuestions]:
        """Check questions pair by pair, and mend what fails; one whose call failed is left out.

        Raises ProviderError.
        """


class QuestionCompleter(QuestionWriter):
    """A writer that also completes questions which people brought."""

    @abstractmethod
    def find_evidence(self, question: DraftQuestion) -> tuple[DraftEvidence | None, str]:
        """Return where the documents answer a question as its references say; or None and why that is not found."""

    @abstractmethod
    def write_twins(self, questions: Sequence[DraftQuestion]) -> Iterator[DraftQuestion]:
        """Yield a complex twin of each simple question, which shares its references, evidence and split."""

    def complete_out_of_scope(self, questions: Sequence[DraftQuestion], wanted: int) -> Iterator[Written]:
        """Yield questions that the documents do not answer, until there are `wanted` with those in `questions`."""
        there, taken = {each.text for each in questions}, {each.question_id for each in questions}
        missing = wanted - sum(each.kind == "out_of_scope" for each in questions)
        free = (name for name in (f"o{number:03d}" for number in count(1)) if name not in taken)
        # Half far, half near; then, where the documents have few names, more far ones.
        for asked in (wanted, 4 * wanted):
            spec = self.spec.model_copy(update={"out_of_scope": asked})
            for written in type(self)(self.documents, spec, self.embed).write_out_of_scope() if missing > 0 else ():
                made = [each for each in written.questions if each.text not in there][:missing]
                missing -= len(made)
                there |= {each.text for each in made}
                named = [(each, next(free)) for each in made]
                drafts = tuple(replace(each, question_id=name, pair_id=name) for each, name in named)
                yield Written(drafts, written.rejected)
                if not missing:
                    return


question_writers: Registry[QuestionWriter] = Registry("question writer", "evaluation.question_writers")
"""By key: `builtin` (rules), `llm` (any chat model)."""


def writer_prompts() -> dict[str, str]:
    """Return the prompts with which a model is asked to write and check questions, by name, as they are shipped."""
    return read_prompts("evaluation.question_writers.by_model")


def write_questions(
    stage: Stage,
    documents: Sequence[SourceDoc],
    spec: GeneratorSpec,
    embed: Embed,
    usage: UsageTally,
    done: Sequence[DraftQuestion] = (),
    asked: Sequence[DraftQuestion] = (),
) -> Iterator[Written]:
    """Write the questions of one stage, and say what was thrown away and why, by the writer that `spec.llm` asks for.

    `done` are the stored questions of the stage: writing goes on after them. `usage` is counted up with each call of
    a model, also before a failure. `asked`: those of another set, see `QuestionWriter`.
    Raises ProviderError where the model cannot be used, UsageError for a writer that there is not.
    """
    unit = question_writers.get("builtin" if spec.llm == BUILTIN_READER else "llm", "llm")
    writer = unit(documents, spec, embed, usage, asked=asked)
    return writer.write_pairs(done) if stage == "pairs" else writer.write_out_of_scope(done)


def question_completer(documents: Sequence[SourceDoc], embed: Embed) -> QuestionCompleter:
    """Return what completes questions over documents, without a model."""
    unit = question_writers.get("builtin", "llm")
    assert issubclass(unit, QuestionCompleter)
    return unit(documents, GeneratorSpec.create(), embed)


def check_questions(
    documents: Sequence[SourceDoc],
    llm: str,
    embed: Embed,
    usage: UsageTally,
    groups: Sequence[Sequence[DraftQuestion]],
) -> Iterator[CheckedQuestions]:
    """Have the model `llm` check questions, those of a pair in one group, and mend what fails. Raises ProviderError."""
    unit = question_writers.get("llm", "llm")
    assert issubclass(unit, QuestionChecker)
    return unit(documents, GeneratorSpec.create({"llm": llm}), embed, usage).check(groups)
