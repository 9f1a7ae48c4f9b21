"""Which format a file is in, and what it holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from evaluation.exchange.base import AnswersReader, ReadFormat, TestSetReader
from evaluation.exchange.evidence import Documents
from evaluation.exchange.fields import finished
from evaluation.exchange.problems import NOTHING_SCORED, refuse
from evaluation.exchange.rag_tasks import KNOWN, Answered
from evaluation.exchange.uploads import File, Upload
from evaluation.types import DraftQuestion
from rag_pipeline.english.wording import listed
from rag_pipeline.errors import ConfigError
from rag_pipeline.types import SourceDoc

R = TypeVar("R", bound=ReadFormat)


def read_questions(file: File, answers: File | None, documents: Sequence[SourceDoc]) -> list[DraftQuestion]:
    """Return the questions of a file, given as (name, bytes). Raises ConfigError naming row and reason."""
    second = Upload(answers, without_nul=True) if answers else None
    upload = Upload(file, without_nul=True, second=second)
    readers = TestSetReader.units()
    reader = _recognising([unit for unit in readers if unit.takes_answers == bool(second)], upload)
    if reader is None:
        upload.check_table()
        if len(upload.columns) == 1:
            raise refuse(f"“{upload.name}” has only questions. Give the file with their answers too.")
        raise _unknown(upload, readers)
    return finished(reader.read(upload, Documents(documents)))


def read_answers(file: File) -> Answered:
    """Return each object of a file and the sample that it is, in order.

    Raises ConfigError where the file is in no known format, naming the lines that do not fit.
    """
    upload = Upload(file, NOTHING_SCORED)
    readers = AnswersReader.units()
    reader = _recognising(readers, upload)
    if reader is None:
        upload.check_table()
        raise _unknown(upload, readers)
    made = reader.read(upload)
    if not made:
        raise refuse(f"“{upload.name}” holds no answers.", NOTHING_SCORED)
    if not any(field in task for task, _ in made for field in KNOWN):
        raise refuse(f"No object of “{upload.name}” has a field of the format: {', '.join(KNOWN)}.", NOTHING_SCORED)
    return made


def _recognising(units: Sequence[type[R]], upload: Upload) -> R | None:
    """Return what reads a file, None where nothing does. Raises ConfigError for one that is no text."""
    asked = sorted(units, key=lambda unit: unit.last_resort)
    return next((reader for reader in (unit() for unit in asked) if reader.recognises(upload)), None)


def _unknown(upload: Upload, units: Sequence[type[ReadFormat]]) -> ConfigError:
    known = listed([unit.looks for unit in units], "and")
    return refuse(f"“{upload.name}” is in no known format. Known are: {known}.", upload.nothing)
