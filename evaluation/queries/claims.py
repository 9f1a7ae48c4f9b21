"""The claims of one answer as two grids, and where they stand in the texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from evaluation.judge.claims.places import ClaimPlaces
from evaluation.judge.claims.table import Claim, ClaimTable, Verdict
from evaluation.models import CLAIMS, Answer, MetricScore
from evaluation.queries.context_views import ContextPiece, ContextView
from evaluation.types import Sample
from rag_pipeline.places import Place

ANSWER, REFERENCE = "answer", "reference"
_PREFIX = {ANSWER: "A", REFERENCE: "R"}
_CONTEXT, _TOGETHER = "Context ", "All contexts together"
_NOT_ASKED = "not asked: single contexts are asked only of what all of them together support"


@dataclass(frozen=True, slots=True)
class ClaimCell:
    """What one text says of a claim. `supported` None: it was not asked. `column` names the text in full."""

    column: str
    supported: bool | None
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim with a name such as A2, and its cells in the order of the columns."""

    name: str
    text: str
    supported: bool | None
    cells: list[ClaimCell]


@dataclass(frozen=True, slots=True)
class ClaimColumn:
    """A text that claims were checked against: a short head, and its name in full."""

    head: str
    name: str


@dataclass(frozen=True, slots=True)
class ClaimGrid:
    """The claims of the answer or of the reference (`whose`); `supported` of them by the contexts."""

    whose: str
    columns: list[ClaimColumn]
    rows: list[ClaimRow]
    supported: int


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a text; `claims` stand in it, `ends` are those that end with it; `supported`: whether all are."""

    text: str
    claims: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    supported: bool = True


@dataclass(frozen=True, slots=True)
class ClaimsView:
    """The grids, remarks, what could not be had and why, and the texts cut where claims stand in them.

    `contexts[i]` are the pieces of the context of rank i + 1.
    """

    grids: list[ClaimGrid]
    notes: tuple[str, ...]
    problems: list[str]
    answer: list[TextPiece]
    contexts: list[list[TextPiece]]

    @property
    def attributed(self) -> bool:
        """True where single contexts were asked, too, or there is but one."""
        return len(self.contexts) < 2 or any(column.head.isdecimal() for grid in self.grids for column in grid.columns)

    @property
    def checked(self) -> bool:
        """True where the contexts were asked about any claim."""
        return any(row.supported is not None for grid in self.grids for row in grid.rows)


def claims_view(*, answer: Answer, sample: Sample) -> ClaimsView | None:
    """Return the claim table of an answer's current scoring; None where no metric read one."""
    stored = MetricScore.objects.filter(answer=answer, scoring__current=True, metric=CLAIMS).first()
    return None if stored is None else view_of_claims(ClaimTable.from_details(stored.details), sample)


def view_of_claims(table: ClaimTable, sample: Sample) -> ClaimsView:
    """Return a claim table with the texts of its sample."""
    count = len(sample.trace.contexts)
    return ClaimsView(
        grids=[grid for grid in _grids(table, count) if grid.rows],
        notes=table.notes,
        problems=sorted({problem[0].upper() + problem[1:] for problem in table.problems.values()}),
        answer=_answer_pieces(sample.trace.answer, table),
        contexts=[_context_pieces(context.text, table, at) for at, context in enumerate(sample.trace.contexts)],
    )


def with_claims(views: Sequence[ContextView], claims: ClaimsView | None) -> list[ContextView]:
    """Return the contexts with the claims marked in them that they support, beside the evidence."""
    if claims is None:
        return list(views)
    return [
        replace(view, pieces=_both(view.pieces, pieces)) for view, pieces in zip(views, claims.contexts, strict=True)
    ]


def _both(evidence: Sequence[ContextPiece], claims: Sequence[TextPiece]) -> list[ContextPiece]:
    """Return one text, cut in two ways, cut in both."""
    pieces: list[ContextPiece] = []
    left, right = [*reversed(evidence)], [*reversed(claims)]
    while left and right:
        golden, claimed = left.pop(), right.pop()
        size = min(len(golden.text), len(claimed.text))
        ends = claimed.ends if size == len(claimed.text) else ()
        pieces.append(ContextPiece(golden.text[:size], golden.is_evidence, claimed.claims, ends))
        if size < len(golden.text):
            left.append(replace(golden, text=golden.text[size:]))
        if size < len(claimed.text):
            right.append(replace(claimed, text=claimed.text[size:]))
    return pieces


def _grids(table: ClaimTable, count: int) -> Iterator[ClaimGrid]:
    """Yield the claims of the answer, then those of each reference; `count` contexts were retrieved."""
    tables = table.by_reference
    names = [REFERENCE] if len(tables) == 1 else [f"{REFERENCE} {number}" for number in range(1, len(tables) + 1)]
    others = {
        name.capitalize(): [claim.other for claim in each.answer] for name, each in zip(names, tables, strict=True)
    }
    yield _grid(ANSWER, _PREFIX[ANSWER], table.answer, count, others)
    for prefix, name, each in zip(_prefixes(table), names, tables, strict=True):
        yield _grid(name, prefix, each.reference, count, {"Answer": [claim.other for claim in each.reference]})


def _prefixes(table: ClaimTable) -> list[str]:
    """Return what the names of each reference's claims begin with: R, or R1. and R2. where there are several."""
    several = bool(table.alternatives)
    return [
        f"{_PREFIX[REFERENCE]}{number}." if several else _PREFIX[REFERENCE]
        for number, _ in enumerate(table.by_reference, 1)
    ]


def _reference_claims(table: ClaimTable) -> list[tuple[Claim, ...]]:
    return [each.reference for each in table.by_reference]


def _grid(
    whose: str, prefix: str, claims: Sequence[Claim], count: int, others: Mapping[str, Sequence[Verdict | None]]
) -> ClaimGrid:
    """Return a grid with the columns that any claim has a verdict for. `others`: what other texts say."""
    by_contexts = count if any(claim.contexts for claim in claims) else 0
    ranked = [(claim.contexts or [None] * by_contexts) for claim in claims]
    verdicts: dict[str, Sequence[Verdict | None]] = {
        f"{_CONTEXT}{rank}": [own[rank - 1] for own in ranked] for rank in range(1, by_contexts + 1)
    }
    joined = {} if by_contexts == 1 else {_TOGETHER: [claim.joined for claim in claims]}
    verdicts |= {name: found for name, found in {**joined, **others}.items() if any(found)}
    rows = []
    for place, claim in enumerate(claims):
        cells = [_cell(name, found[place]) for name, found in verdicts.items()]
        rows.append(ClaimRow(f"{prefix}{place + 1}", claim.text, claim.supported if claim.checked else None, cells))
    columns = [ClaimColumn("All" if name == _TOGETHER else name.removeprefix(_CONTEXT), name) for name in verdicts]
    return ClaimGrid(whose, columns, rows, sum(row.supported is True for row in rows))


def _cell(column: str, verdict: Verdict | None) -> ClaimCell:
    if verdict is None:
        return ClaimCell(column, None, _NOT_ASKED)
    return ClaimCell(column, verdict.supported, verdict.reason or "the judge gave no reason")


def _answer_pieces(text: str, table: ClaimTable) -> list[TextPiece]:
    """Return the answer cut where its claims stand in it; supported as far as the contexts were asked."""
    places = ClaimPlaces(text)
    found = []
    for number, (claim, against) in enumerate(zip(table.answer, table.nearest.answer, strict=True), 1):
        place = places.of(claim)
        if place:
            found.append((place, f"A{number}", claim.supported if claim.checked else against.in_other))
    return _cut(text, found)


def _context_pieces(text: str, table: ClaimTable, at: int) -> list[TextPiece]:
    """Return a context cut where the claims stand in it that it supports.

    Where single contexts were not asked: where half of a claim that all of them support stands in one run.
    """
    places = ClaimPlaces(text)
    found = []
    prefixes = _prefixes(table)
    for prefix, claims in ((_PREFIX[ANSWER], table.answer), *zip(prefixes, _reference_claims(table), strict=True)):
        for number, claim in enumerate(claims, 1):
            verdict = claim.contexts[at] if at < len(claim.contexts) else claim.joined
            place = places.of(claim, verdict) if verdict and verdict.supported else None
            if place:
                found.append((place, f"{prefix}{number}", True))
    return _cut(text, found)


def _cut(text: str, found: Iterable[tuple[Place, str, bool]]) -> list[TextPiece]:
    """Return `text` cut wherever a claim begins or ends; the pieces joined are the text."""
    marks = list(found)
    edges = sorted({0, len(text), *(edge for (start, end), _, _ in marks for edge in (start, end))})
    pieces = []
    for start, end in pairwise(edges):
        inside = [(name, supported) for (first, last), name, supported in marks if first <= start and end <= last]
        names = tuple(name for name, _ in inside)
        ends = tuple(name for (_, last), name, _ in marks if last == end)
        pieces.append(TextPiece(text[start:end], names, ends, all(supported for _, supported in inside)))
    return pieces
