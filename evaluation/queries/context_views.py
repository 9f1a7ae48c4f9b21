"""A chunk as the pages show it: its text in pieces, with the evidence and the claims that stand in it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ContextPiece:
    """A piece of a text; `is_evidence` when the gold evidence (or a verbatim repeat of it) covers it.

    `claims`: names of the claims that the judge found in it; `ends` of those that end with it.
    """

    text: str
    is_evidence: bool
    claims: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextView:
    """A chunk as it was given to the model. `pieces` joined are `text`."""

    rank: int
    score: float
    document_id: int
    document: str
    start: int
    end: int
    page: int | None
    text: str
    pieces: list[ContextPiece]

    @property
    def has_evidence(self) -> bool:
        """True when some of the evidence is in this chunk."""
        return any(piece.is_evidence for piece in self.pieces)
