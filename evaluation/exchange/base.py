"""Formats of files: what each holds, what it is called, and the methods that read its bytes or write them.

A format is one file in `formats/`, with a class under `@formats.register`. It derives from the role that it plays, or
from two: `TestSetReader`, `TestSetWriter`, `AnswersReader`, `AnswersWriter`, `RunWriter`. The commands and the pages
ask a role for its `units()`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

from evaluation.exchange.evidence import Documents
from evaluation.exchange.rag_tasks import Answered, Task
from evaluation.exchange.table_files import table_files
from evaluation.exchange.uploads import Upload
from evaluation.types import DraftQuestion, Sample, Score
from rag_pipeline.registry import Registry, Unit

TEST_SET, ANSWERS, RUN = "test set", "answers", "run"
"""What a file may hold: questions with their evidence, answers of another system, or a run of our own."""


class Format(Unit):
    """A format of files.

    `holds` is one of the three above. `label` is its name in the lists of the commands, `help` in those of the pages.
    `extensions` in lower case with the dot, the usual one first. `content_type` as a browser is told.
    """

    holds: ClassVar[str] = ""
    extensions: ClassVar[tuple[str, ...]] = ()
    content_type: ClassVar[str] = ""

    @classmethod
    def units(cls) -> list[type[Self]]:
        """Return the formats that play this role, by key."""
        return [unit for unit in formats if issubclass(unit, cls)]


class ReadFormat(Format):
    """A format that is read.

    `looks` says what its files look like, to somebody whose file is in no known format. Formats are asked in order of
    their keys whether they recognise a file, those that are a `last_resort` after all others: they take, and refuse
    with line and reason, whatever begins as their files do.
    """

    looks: ClassVar[str] = ""
    last_resort: ClassVar[bool] = False

    @abstractmethod
    def recognises(self, upload: Upload) -> bool:
        """Tell by a look at the file whether it is in this format. Raises ConfigError where it is no text."""


class WrittenFormat(Format):
    """A format that is written; `filename`: what its files are called."""

    filename: ClassVar[str] = ""


class TestSetReader(ReadFormat):
    """Reads questions. `takes_answers`: their answers stand in a second file, and such a format is for two files."""

    __test__ = False  # not a pytest class
    holds = TEST_SET
    takes_answers: ClassVar[bool] = False

    @abstractmethod
    def read(self, upload: Upload, documents: Documents) -> list[DraftQuestion]:
        """Return the questions, with an empty `split` where the file has none. Raises ConfigError naming the rows."""


class TestSetWriter(WrittenFormat):
    """Writes questions."""

    __test__ = False
    holds = TEST_SET

    @abstractmethod
    def write(self, questions: Iterable[DraftQuestion], names: Mapping[int, str]) -> bytes:
        """Return the file; `names` are those of the documents that hold evidence, by id."""


class AnswersReader(ReadFormat):
    """Reads answers of another system."""

    holds = ANSWERS

    @abstractmethod
    def read(self, upload: Upload) -> Answered:
        """Return each object and the sample that it is. Raises ConfigError naming the rows that do not fit."""


class ScoredTasks(Protocol):
    """Answers of another system with their scores."""

    def rows(self) -> Iterable[tuple[Task, Mapping[str, Score]]]:
        """Yield each object as it came, with its scores by metric."""

    def summary(self) -> dict[str, Any]:
        """Return the means with their intervals and counts, ready for JSON."""


class AnswersWriter(WrittenFormat):
    """Writes answers of another system with their scores, or a summary of them."""

    holds = ANSWERS

    @abstractmethod
    def write(self, scored: ScoredTasks) -> bytes:
        """Return the file."""


@dataclass(frozen=True, slots=True)
class RunResults:
    """A run as it is written: its answers in the order of the test set, each with the values of its scores by name.

    The samples have evidence only for a writer `with_evidence`. Among the scores are `refused` and `failure_point`.
    `metrics`: the names of the scores beside the headline ones, in the order in which they were asked for.
    `use_context`: False where the model answered without documents.
    """

    answers: Sequence[tuple[Sample, Mapping[str, float | None]]]
    metrics: tuple[str, ...] = ()
    use_context: bool = True


class RunWriter(WrittenFormat):
    """Writes the answers and scores of a run. `with_evidence`: it writes where the evidence lies, too."""

    holds = RUN
    with_evidence: ClassVar[bool] = False

    @abstractmethod
    def write(self, results: RunResults) -> bytes:
        """Return the file."""


formats: Registry[Format] = Registry("format", "evaluation.exchange.formats")


def accepted(units: Iterable[type[ReadFormat]]) -> str:
    """Return the extensions that a choice of files offers: spreadsheets wherever a CSV is read, and any text."""
    found = list(dict.fromkeys(extension for unit in units for extension in unit.extensions))
    spreadsheets = [f".{unit.key}" for unit in table_files if unit.magic] if ".csv" in found else []
    return ",".join([*found, *spreadsheets, ".txt"])
