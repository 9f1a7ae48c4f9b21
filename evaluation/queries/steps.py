"""What each step of retrieval kept, as a table to look at: candidates with their ranks, evidence marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evaluation.queries.answers import marked
from evaluation.queries.context_views import ContextPiece
from evaluation.queries.rows import CandidateView, CellView, ColumnView, StepsView
from rag_pipeline.pipeline.step_table import LABELS, CandidateRow, StepCell, step_table
from rag_pipeline.types import Context, Hit, SourceDoc, Span, Step

EXCERPT = 260
_BEFORE_EVIDENCE = 40


def documents_in(steps: Iterable[Step]) -> set[int]:
    """Return the ids of the documents that candidates come from."""
    return {hit.span.document_id for step in steps for hit in step.hits}


def steps_view(
    steps: Sequence[Step],
    given: Sequence[Context],
    documents: Mapping[int, SourceDoc],
    gold: Sequence[Span] = (),
    top_k: int = 0,
) -> StepsView | None:
    """Return the table of what became of each candidate, None where there is but one step.

    `documents` by id; a candidate of one that is gone is left out. `gold`: the evidence, verbatim repeats too.
    `top_k`: the setting, 0 = not known.
    """
    table = step_table(steps, [Hit(context.span, context.score, context.rank) for context in given], top_k)
    labels = [LABELS.get(name, name.capitalize()) for name in table.names]
    rows = [
        _candidate(row, labels, documents[row.span.document_id], gold)
        for row in table.rows
        if row.span.document_id in documents
    ]
    if not rows:
        return None
    left = [sum(bool(row.cells[place].ranks) for row in table.rows) for place in range(len(labels))]
    columns = [ColumnView(label, count) for label, count in zip(labels, left, strict=True)]
    return StepsView(columns, rows, _fate(rows) if gold else "")


def _candidate(row: CandidateRow, labels: Sequence[str], doc: SourceDoc, gold: Sequence[Span]) -> CandidateView:
    own = [span for span in gold if _overlaps(span, row.span)]
    return CandidateView(
        document_id=doc.id,
        document=doc.name,
        start=row.span.start,
        end=row.span.end,
        page=doc.page_at(row.span.start),
        has_evidence=bool(own),
        pieces=_excerpt(doc.text, row.span, own),
        cells=[_cell(label, cell) for label, cell in zip(labels, row.cells, strict=True)],
    )


def _cell(label: str, cell: StepCell) -> CellView:
    return CellView(label, ", ".join(str(rank) for rank in cell.ranks), cell.moved, cell.share, cell.dropped)


def _excerpt(text: str, span: Span, gold: Sequence[Span]) -> list[ContextPiece]:
    start = span.start
    if gold and (first := min(each.start for each in gold)) > span.start + _BEFORE_EVIDENCE:
        start = first - _BEFORE_EVIDENCE
    end = min(span.end, start + EXCERPT)
    pieces = marked(text[start:end], Span(span.document_id, start, end), gold)
    before = [ContextPiece("…", False)] if start > span.start else []
    after = [ContextPiece("…", False)] if end < span.end else []
    return [*before, *pieces, *after]


def _fate(rows: Sequence[CandidateView]) -> str:
    """Say where the candidates with evidence were lost, or that one reached the model."""
    holding = [row for row in rows if row.has_evidence]
    if not holding:
        return "No candidate holds evidence: it was lost before these steps, in retrieval."
    lost = [cell.label for row in holding for cell in row.cells if cell.dropped]
    held = "1 candidate holds evidence" if len(holding) == 1 else f"{len(holding)} candidates hold evidence"
    if not lost:
        return f"{held}; none of it was dropped." if len(holding) > 1 else f"{held} and reached the model."
    where = ", ".join(f"{lost.count(label)} at “{label}”" for label in dict.fromkeys(lost))
    return f"{held}; dropped: {where}."


def _overlaps(one: Span, other: Span) -> bool:
    return one.document_id == other.document_id and one.start < other.end and other.start < one.end
