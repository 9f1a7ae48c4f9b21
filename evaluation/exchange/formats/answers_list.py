"""Answers as a JSON list of objects of the RAG task format."""

from __future__ import annotations

from evaluation.exchange.base import AnswersReader, formats
from evaluation.exchange.fields import json_value
from evaluation.exchange.problems import refuse
from evaluation.exchange.rag_tasks import Answered, as_object, read_each
from evaluation.exchange.uploads import Upload


@formats.register
class AnswersList(AnswersReader):
    """The whole file is one list."""

    key = "answers_list"
    label = "a JSON list of such objects"
    help = "a JSON list"
    looks = "a JSON list of such objects"
    last_resort = True
    extensions = (".json",)
    content_type = "application/json"

    def recognises(self, upload: Upload) -> bool:
        """It begins with a list."""
        return upload.begins_with("[")

    def read(self, upload: Upload) -> Answered:
        """Return each object and its sample. Raises ConfigError."""
        try:
            items = json_value(upload.text)
        except ValueError as error:
            raise refuse(f"“{upload.name}” is not JSON ({error}).", upload.nothing) from error
        return read_each([(f"Object {number}", item) for number, item in enumerate(items, 1)], as_object)
