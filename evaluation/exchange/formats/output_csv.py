"""output.csv, our own file of a test set: written and read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from evaluation.exchange.base import TestSetReader, TestSetWriter, formats
from evaluation.exchange.csv_cells import CSV_TYPE, restore, to_csv
from evaluation.exchange.evidence import Documents
from evaluation.exchange.fields import SPLITS, json_cell, one_of, ordered, question_text, reference_list, short_id
from evaluation.exchange.problems import RowError, each_row
from evaluation.exchange.table_files import frame_of, table_file
from evaluation.exchange.uploads import Upload
from evaluation.types import DraftEvidence, DraftQuestion

COLUMNS = (
    "question_id", "pair_id", "kind", "transformation", "error", "question", "reference_answer", "document", "start",
    "end", "context", "split", "reference_answers", "spans", "metadata",
)  # fmt: skip
KINDS = ("simple", "complex", "out_of_scope")
TRANSFORMATIONS = {
    "simple": (),
    "complex": ("rephrase", "complicate", "situational", "keywords"),
    "out_of_scope": ("far", "near"),
}
ERRORS = ("typo", "dropped_word", "doubled_word", "agreement", "punctuation", "lower_case")

Cells = dict[str, str]


class OutputTable(TestSetWriter):
    """The questions as a table. A subclass names the `ending` of its files."""

    ending: ClassVar[str] = ""

    def write(self, questions: Iterable[DraftQuestion], names: Mapping[int, str]) -> bytes:
        """Return the file."""
        rows = (_row(question, names) for question in questions)
        return table_file(self.ending).write(frame_of(COLUMNS, rows))


@formats.register
class OutputCsv(TestSetReader, TestSetWriter):
    """A row a question, with its references and evidence. The columns question and kind are enough to be read."""

    key = "output_csv"
    label = "output.csv"
    help = "output.csv of another workbench"
    looks = "output.csv (columns question, kind …)"
    extensions = (".csv",)
    content_type = CSV_TYPE
    filename = "output.csv"

    def recognises(self, upload: Upload) -> bool:
        """Our columns are there."""
        return upload.columns >= {"question", "kind"}

    def read(self, upload: Upload, documents: Documents) -> list[DraftQuestion]:
        """Return the questions. Raises ConfigError."""
        numbered = [(place, (number, cells)) for number, (place, cells) in enumerate(upload.rows, 1)]
        return each_row(numbered, lambda row: draft_of(row[0], row[1], documents))

    def write(self, questions: Iterable[DraftQuestion], names: Mapping[int, str]) -> bytes:
        """Return the file."""
        return to_csv(COLUMNS, (_row(question, names) for question in questions))


def _row(question: DraftQuestion, names: Mapping[int, str]) -> list[Any]:
    first = question.evidence[0] if question.evidence else None
    return [
        question.question_id,
        question.pair_id,
        question.kind,
        question.transformation,
        question.error,
        question.text,
        next(iter(question.references), ""),
        *((names[first.span.document_id], first.span.start, first.span.end, first.text) if first else [None] * 4),
        question.split,
        list(question.references),
        [each.span.as_named_json(names[each.span.document_id]) for each in question.evidence],
        ordered(question.metadata),
    ]


def draft_of(number: int, cells: Cells, documents: Documents) -> DraftQuestion:
    """Return the question of a row, the `number`-th from 1, from its cells as CSV has them. Raises RowError."""
    text = {name: restore(cell) for name, cell in cells.items()}
    kind = text.get("kind", "").strip()
    if kind not in KINDS:
        raise RowError(f"the kind is “{kind}”. Possible: {', '.join(KINDS)}.")
    question_id = short_id(text.get("question_id", "").strip() or f"q{number:03d}", "question_id")
    evidence = _evidence(cells, text, documents)
    if evidence and kind == "out_of_scope":
        raise RowError("an out-of-scope question has no evidence: leave document, start, end, context, spans empty.")
    return DraftQuestion(
        question_id=question_id,
        pair_id=short_id(text.get("pair_id", "").strip() or question_id, "pair_id"),
        kind=kind,
        text=question_text(text.get("question")),
        references=_references(cells, text),
        evidence=evidence,
        transformation=one_of(text.get("transformation", "").strip(), TRANSFORMATIONS[kind], "transformation"),
        error=one_of(text.get("error", "").strip(), ERRORS, "error"),
        split=one_of(text.get("split", "").strip(), SPLITS, "split"),
        metadata=json_cell(cells.get("metadata", ""), "metadata", dict),
    )


def _references(cells: Cells, text: Cells) -> tuple[str, ...]:
    """Return the list with the single reference first, where that one was changed by hand."""
    cell = json_cell(cells.get("reference_answers", ""), "reference_answers", list)
    listed = reference_list(cell, "reference_answers")
    first = text.get("reference_answer", "").strip()
    return listed if not first or first in listed else (first, *listed)


def _evidence(cells: Cells, text: Cells, documents: Documents) -> tuple[DraftEvidence, ...]:
    name, context = text.get("document", "").strip(), text.get("context", "")
    start, end = cells.get("start", "").strip(), cells.get("end", "").strip()
    first: tuple[DraftEvidence, ...] = ()
    if start or end:
        if not name:
            raise RowError("there is a span but no document.")
        first = (documents.span(name, start, end, context),)
    spans = tuple(documents.named_span(each) for each in json_cell(cells.get("spans", ""), "spans", list))
    if spans:
        if first and first[0] not in spans:
            raise RowError("document, start and end name another span than spans.")
        return spans
    if not first and context.strip():
        return (documents.find(context, name),)
    return first
