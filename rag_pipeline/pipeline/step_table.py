"""What each step of retrieval kept: a row a candidate, a column a step, so that a loss can be traced to its step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from rag_pipeline.types import Hit, Span, Step

GIVEN = "given"
TOP_K = "top_k"
LABELS = {
    "retrieve": "Retrieved",
    "rerank": "Reranked",
    "parents": "Parent",
    TOP_K: "Top k",
    "consolidate": "Consolidated",
    "budget": "Within budget",
    GIVEN: "Given to the model",
}
"""Names of steps on screen. `top_k` cuts the list before contexts are shortened; `given` is what the prompt holds."""

_AFTER_CUT = ("consolidate", "budget")
_WHOLE = 0.995
"""Share of a text from which nothing worth a word was cut."""


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


def stored_steps(details: Mapping[str, Any]) -> list[Step]:
    """Return the steps that an answer's `details` hold, as the evaluation stores them; [] where none followed."""
    return [Step.from_json(step) for step in details.get("steps", ())]


def step_table(steps: Sequence[Step], given: Sequence[Hit], top_k: int = 0) -> StepTable:
    """Follow each candidate of the first step to what the model was `given`; no rows where there is but one step.

    `top_k`: how many were left before contexts were shortened, 0 = not known. A hit of a later step is a candidate's
    when it is the same span, holds it (a parent), or is a piece of it.
    """
    if len(steps) < 2:
        return StepTable((), ())
    tracked = [_Tracked(hit.span, [hit], [StepCell((hit.rank,))]) for hit in steps[0].hits]
    last = steps[-1]
    ending = [] if [hit.span for hit in last.hits] == [hit.span for hit in given] else [Step(GIVEN, tuple(given))]
    follow = [*_with_cut(steps, top_k), *ending]
    for step in follow:
        _advance(tracked, step)
    names = [step.name for step in (steps[0], *follow)]
    return StepTable(tuple(names), tuple(CandidateRow(each.span, tuple(each.cells)) for each in tracked))


def _with_cut(steps: Sequence[Step], top_k: int) -> Iterator[Step]:
    """Yield the steps after the first, with the cut to the top k where it dropped something."""
    for before, step in pairwise(steps):
        if top_k and step.name in _AFTER_CUT and before.name not in _AFTER_CUT and len(before.hits) > top_k:
            yield Step(TOP_K, before.hits[:top_k])
        yield step


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
    if parents := [hit for hit in after if hit.span.holds(before.span)]:
        return parents[:1]
    pieces = [hit for hit in after if before.span.holds(hit.span) and hit.span not in taken]
    taken.update(hit.span for hit in pieces)
    return pieces


def _cell(each: _Tracked, found: Sequence[Hit], name: str) -> StepCell:
    if not found:
        return StepCell(dropped=bool(each.hits))
    before, after = sum(len(hit.span) for hit in each.hits), sum(len(hit.span) for hit in found)
    moved = each.hits[0].rank - found[0].rank if name == "rerank" else 0
    return StepCell(tuple(hit.rank for hit in found), moved, after / before if after < _WHOLE * before else None)
