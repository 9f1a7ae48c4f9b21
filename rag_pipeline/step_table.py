"""What each step of retrieval kept: a row a candidate, a column a step, so that a loss can be traced to its step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rag_pipeline.types import Hit, Span, Step

GIVEN = "given"
LABELS = {
    "retrieve": "Retrieved",
    "rerank": "Reranked",
    "parents": "Parent",
    "consolidate": "Consolidated",
    "budget": "Within budget",
    GIVEN: "Given to the model",
}
"""Names of steps on screen; `given` is what the prompt holds in the end."""


@dataclass(frozen=True, slots=True)
class StepCell:
    """A candidate after one step. `ranks`: of the hits it became, none where it was dropped here or before.

    `moved`: places up (+) or down (-) in the same list. `share`: how much of its text was kept, where that is less.
    `dropped` is true in the step that dropped it.
    """

    ranks: tuple[int, ...] = ()
    moved: int = 0
    share: float | None = None
    dropped: bool = False

    @property
    def words(self) -> str:
        """The cell in words: `3, up 4`, `1, 2 (40 % of it)`, `dropped`, or nothing once it is gone."""
        if not self.ranks:
            return "dropped" if self.dropped else ""
        moved = f", {'up' if self.moved > 0 else 'down'} {abs(self.moved)}" if self.moved else ""
        share = f" ({self.share:.0%} of it)".replace("%", " %") if self.share is not None else ""
        return ", ".join(str(rank) for rank in self.ranks) + moved + share


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A chunk that was retrieved, with its cell for each step."""

    span: Span
    cells: tuple[StepCell, ...]

    @property
    def trail(self) -> str:
        """Return the way through the steps in one line, without names."""
        return " → ".join(cell.words for cell in self.cells if cell.words)


@dataclass(frozen=True, slots=True)
class StepTable:
    """Names of the steps, the last of them `given`, and a row for each candidate in the order of retrieval."""

    names: tuple[str, ...]
    rows: tuple[CandidateRow, ...]


@dataclass(slots=True)
class _Tracked:
    """A candidate on its way: the hits it is now, and its cells so far."""

    span: Span
    hits: list[Hit]
    cells: list[StepCell] = field(default_factory=list)


def step_table(steps: Sequence[Step], given: Sequence[Hit]) -> StepTable:
    """Follow each candidate of the first step to what the model was `given`; no rows where there is but one step.

    A hit of a later step is a candidate's when it is the same span, holds it (a parent), or is a piece of it.
    """
    if len(steps) < 2:
        return StepTable((), ())
    tracked = [_Tracked(hit.span, [hit], [StepCell((hit.rank,))]) for hit in steps[0].hits]
    last = steps[-1]
    ending = [] if [hit.span for hit in last.hits] == [hit.span for hit in given] else [Step(GIVEN, tuple(given))]
    follow = [*steps[1:], *ending]
    for step in follow:
        _advance(tracked, step)
    names = [step.name for step in (steps[0], *follow)]
    return StepTable(tuple(names), tuple(CandidateRow(each.span, tuple(each.cells)) for each in tracked))


def _advance(tracked: Sequence[_Tracked], step: Step) -> None:
    """Replace each candidate's hits by those it became in `step`, and note the cell."""
    exact = {hit.span: hit for hit in step.hits}
    taken: set[Span] = set()  # a piece that lies in two overlapping chunks came from the better one
    for each in sorted(tracked, key=lambda one: min((hit.rank for hit in one.hits), default=0)):
        became = [hit for before in each.hits for hit in _became(before, step.hits, exact, taken)]
        found = list(dict.fromkeys(became))
        each.cells.append(_cell(each, found, step.name))
        each.hits = found


def _became(before: Hit, after: Sequence[Hit], exact: dict[Span, Hit], taken: set[Span]) -> list[Hit]:
    if before.span in exact:
        return [exact[before.span]]
    if parents := [hit for hit in after if _holds(hit.span, before.span)]:
        return parents[:1]
    pieces = [hit for hit in after if _holds(before.span, hit.span) and hit.span not in taken]
    taken.update(hit.span for hit in pieces)
    return pieces


def _cell(each: _Tracked, found: Sequence[Hit], name: str) -> StepCell:
    if not found:
        return StepCell(dropped=bool(each.hits))
    before, after = sum(len(hit.span) for hit in each.hits), sum(len(hit.span) for hit in found)
    moved = each.hits[0].rank - found[0].rank if name == "rerank" else 0
    return StepCell(tuple(hit.rank for hit in found), moved, after / before if after < before else None)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.document_id == inner.document_id and outer.start <= inner.start and inner.end <= outer.end
