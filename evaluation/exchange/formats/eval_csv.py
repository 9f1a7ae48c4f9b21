"""eval.csv, the answers of a run with their contexts and scores, and the same table for other kinds of files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from evaluation.exchange.base import RunResults, RunWriter, formats
from evaluation.exchange.csv_cells import CSV_TYPE, to_csv
from evaluation.exchange.fields import ordered
from evaluation.exchange.table_files import frame_of, table_file
from evaluation.spec import HEADLINE
from evaluation.types import Sample

COLUMNS = (
    "question_id", "pair_id", "kind", "transformation", "error", "question", "reference_answer", "answer", "refused",
    "contexts", "contexts_id", "context_spans", *HEADLINE, "failure_point", "latency_s", "ttft_s", "prompt_tokens",
    "completion_tokens", "cost_usd", "error_message", "metadata",
)  # fmt: skip


class EvalTable(RunWriter):
    """A row a question and repeat; metrics beside the five are columns at the end. A subclass names the `ending`."""

    ending: ClassVar[str] = ""

    def write(self, results: RunResults) -> bytes:
        """Return the file."""
        # Latency and the like have their column anyway.
        added = [name for name in results.metrics if name not in COLUMNS]
        rows = ([*_row(sample, scores), *map(scores.get, added)] for sample, scores in results.answers)
        return self.table((*COLUMNS, *added), rows)

    def table(self, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
        """Return a table as a file."""
        return table_file(self.ending).write(frame_of(header, rows))


@formats.register
class EvalCsv(EvalTable):
    """As the interface has it, and as it is kept in the data folder."""

    key = "eval_csv"
    label = "eval.csv"
    help = "eval.csv, a row an answer with its scores"
    extensions = (".csv",)
    content_type = CSV_TYPE
    filename = "eval.csv"

    def table(self, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
        """Return a table as a file, without a frame between: it is written after every run."""
        return to_csv(header, rows)


def _row(sample: Sample, scores: Mapping[str, float | None]) -> list[Any]:
    trace = sample.trace
    refused, point = scores.get("refused"), scores.get("failure_point")
    return [
        sample.question_id,
        sample.pair_id,
        sample.kind,
        sample.transformation,
        sample.error,
        trace.question,
        next(iter(sample.reference_answers), ""),
        trace.answer,
        None if refused is None else bool(refused),
        [context.text for context in trace.contexts],
        [context.id for context in trace.contexts],
        [context.span.as_named_json(context.document) for context in trace.contexts],
        *map(scores.get, HEADLINE),
        None if point is None else int(point),
        trace.latency_s,
        trace.ttft_s,
        trace.usage.prompt_tokens,
        trace.usage.completion_tokens,
        trace.usage.cost_usd,
        trace.error,
        ordered(sample.metadata),
    ]
