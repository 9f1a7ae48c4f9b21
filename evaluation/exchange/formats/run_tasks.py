"""answers.jsonl: a run as other systems write theirs, so that `score` and other tools read it."""

from __future__ import annotations

from evaluation.exchange.base import RunResults, RunWriter, formats
from evaluation.exchange.rag_tasks import json_line, task_of


@formats.register
class RunTasks(RunWriter):
    """An object an answer in the RAG task format, with its scores, and where its contexts and evidence lie.

    Scored again from here it gets the scores that the run has.
    """

    key = "run_tasks"
    label = "answers.jsonl"
    help = "answers.jsonl, an object an answer in the RAG task format"
    extensions = (".jsonl",)
    content_type = "application/x-ndjson"
    filename = "answers.jsonl"
    with_evidence = True

    def write(self, results: RunResults) -> bytes:
        """Return the file."""
        tasks = (task_of(sample, scores, use_context=results.use_context) for sample, scores in results.answers)
        return "".join(map(json_line, tasks)).encode()
