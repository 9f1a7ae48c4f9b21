"""Answers as JSONL of the RAG task format; written with their scores as scored.jsonl, which can be read again."""

from __future__ import annotations

from evaluation.exchange.base import AnswersReader, AnswersWriter, ScoredTasks, formats
from evaluation.exchange.fields import json_value
from evaluation.exchange.problems import RowError
from evaluation.exchange.rag_tasks import Answered, Task, as_object, json_line, read_each, with_scores
from evaluation.exchange.uploads import Upload


@formats.register
class AnswersJsonl(AnswersReader, AnswersWriter):
    """An object a line. Scores are added to the objects as they came."""

    key = "answers_jsonl"
    label = "JSONL, one object a question"
    help = "JSONL with an object for each question"
    looks = "JSONL with an object in each line"
    last_resort = True
    extensions = (".jsonl",)
    content_type = "application/x-ndjson"
    filename = "scored.jsonl"

    def recognises(self, upload: Upload) -> bool:
        """It begins with an object."""
        return upload.begins_with("{")

    def read(self, upload: Upload) -> Answered:
        """Return each line's object and its sample. Raises ConfigError."""
        return read_each([(f"Line {number}", line) for number, line in upload.lines], _task)

    def write(self, scored: ScoredTasks) -> bytes:
        """Return the file."""
        return "".join(json_line(with_scores(task, scores)) for task, scores in scored.rows()).encode()


def _task(line: str) -> Task:
    try:
        return as_object(json_value(line))
    except ValueError as error:
        raise RowError(f"it is not JSON ({error}).") from error
