"""Our own output.csv, read back."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.exchange.csv_cells import restore
from evaluation.exchange.evidence import Documents
from evaluation.exchange.fields import SPLITS, json_cell, one_of, question_text, reference_list, short_id
from evaluation.exchange.problems import RowError, each_row
from evaluation.types import DraftEvidence, DraftQuestion

KINDS = ("simple", "complex", "out_of_scope")
TRANSFORMATIONS = {
    "simple": (),
    "complex": ("rephrase", "complicate", "situational"),
    "out_of_scope": ("far", "near"),
}
ERRORS = ("typo", "dropped_word", "doubled_word", "agreement", "punctuation", "lower_case")

Cells = dict[str, str]


def read_output(rows: Sequence[tuple[str, Cells]], documents: Documents) -> list[DraftQuestion]:
    """Return the questions of an output.csv, given as (place, cells by column). Raises ConfigError."""
    numbered = [(place, (number, cells)) for number, (place, cells) in enumerate(rows, 1)]
    return each_row(numbered, lambda row: _draft(row[0], row[1], documents))


def _draft(number: int, cells: Cells, documents: Documents) -> DraftQuestion:
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
    spans = tuple(_span(each, documents) for each in json_cell(cells.get("spans", ""), "spans", list))
    if spans:
        if first and first[0] not in spans:
            raise RowError("document, start and end name another span than spans.")
        return spans
    if not first and context.strip():
        return (documents.find(context, name),)
    return first


def _span(value: object, documents: Documents) -> DraftEvidence:
    if not isinstance(value, dict) or not {"document", "start", "end"} <= value.keys():
        raise RowError("spans is not a list of objects with document, start and end.")
    return documents.span(str(value["document"]), value["start"], value["end"])
