"""ClaimTable: what is stated in an answer and in its references, and what supports it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

ANSWER_CONTEXTS = "answer_contexts"
REFERENCE_CONTEXTS = "reference_contexts"
ANSWER_ATTRIBUTED = "answer_attributed"
REFERENCE_ATTRIBUTED = "reference_attributed"
ANSWER_REFERENCE = "answer_reference"
REFERENCE_ANSWER = "reference_answer"
PARTS = (
    ANSWER_CONTEXTS,
    REFERENCE_CONTEXTS,
    ANSWER_ATTRIBUTED,
    REFERENCE_ATTRIBUTED,
    ANSWER_REFERENCE,
    REFERENCE_ANSWER,
)
"""What a table may hold: claims of one against all contexts, which single contexts support those that are supported,
claims of the answer in the reference and vice versa."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a text supports a claim, and why the judge thinks so."""

    supported: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement.

    `joined`: what all contexts together say, which decides; None where contexts were not asked for, or are empty. In
    tables of before it was asked for only where no single context supports the claim.
    `contexts[i]`: what context i (rank i + 1) says by itself; empty where single contexts were not asked.
    `other`: whether the reference (for a claim of the answer) or the answer (for one of the reference) states it.
    """

    text: str
    contexts: tuple[Verdict, ...] = ()
    joined: Verdict | None = None
    other: Verdict | None = None

    @property
    def supported(self) -> bool:
        """True when the contexts support it."""
        return self.joined.supported if self.joined else self._by_one

    @property
    def supported_alone(self) -> bool:
        """True when it is supported, and one context does so by itself."""
        return self.supported and self._by_one

    @property
    def checked(self) -> bool:
        """True where the contexts were asked about it."""
        return self.joined is not None or bool(self.contexts)

    @property
    def in_other(self) -> bool:
        """True when the other text states it too."""
        return self.other is not None and self.other.supported

    @property
    def _by_one(self) -> bool:
        return any(verdict.supported for verdict in self.contexts)


@dataclass(frozen=True, slots=True)
class ClaimTable:
    """The claims of one answer and of one of its references.

    `problems`: why a part could not be had, by part. `notes` are remarks for the user (long texts). `alternatives`: the
    same against each further reference, where there are several.
    """

    answer: tuple[Claim, ...] = ()
    reference: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()
    problems: Mapping[str, str] = field(default_factory=dict)
    alternatives: tuple[ClaimTable, ...] = ()

    def problem(self, parts: Collection[str]) -> str:
        """Return why one of `parts` could not be had, or an empty string."""
        return next((self.problems[part] for part in PARTS if part in parts and part in self.problems), "")

    @property
    def by_reference(self) -> tuple[ClaimTable, ...]:
        """The table against each reference, the first one's first."""
        return (self, *self.alternatives)

    @property
    def nearest(self) -> ClaimTable:
        """The table against the reference that states most of the answer's claims, of equal ones the first."""
        return max(self.by_reference, key=lambda table: sum(claim.in_other for claim in table.answer))

    @property
    def relevant_contexts(self) -> tuple[bool, ...]:
        """For each context, whether it supports a claim of the reference by itself."""
        count = max((len(claim.contexts) for claim in (*self.answer, *self.reference)), default=0)
        attributed = [claim.contexts for claim in self.reference if claim.supported_alone]
        return tuple(any(contexts[at].supported for contexts in attributed) for at in range(count))

    def as_details(self) -> dict[str, Any]:
        """Return the table as JSON; `from_details` reads it back."""
        stored = {
            "answer": [_claim_as_json(claim) for claim in self.answer],
            "reference": [_claim_as_json(claim) for claim in self.reference],
            "notes": list(self.notes),
            "problems": dict(self.problems),
        }
        if self.alternatives:
            stored["alternatives"] = [_alternative_as_json(table) for table in self.alternatives]
        return stored

    @classmethod
    def from_details(cls, stored: Mapping[str, Any]) -> ClaimTable:
        """Return the table that `as_details` stored."""
        answer = tuple(_claim_from_json(claim) for claim in stored.get("answer", ()))
        return cls(
            answer,
            tuple(_claim_from_json(claim) for claim in stored.get("reference", ())),
            tuple(stored.get("notes", ())),
            dict(stored.get("problems", {})),
            tuple(_alternative_from_json(answer, each) for each in stored.get("alternatives", ())),
        )


def _alternative_as_json(table: ClaimTable) -> dict[str, Any]:
    """Return what is different against another reference: what it says of the answer's claims, and its own."""
    return {
        "other": [_verdict_as_json(claim.other) for claim in table.answer],
        "reference": [_claim_as_json(claim) for claim in table.reference],
    }


def _alternative_from_json(answer: Sequence[Claim], stored: Mapping[str, Any]) -> ClaimTable:
    others = [_verdict_from_json(verdict) for verdict in stored["other"]]
    return ClaimTable(
        tuple(replace(claim, other=other) for claim, other in zip(answer, others, strict=True)),
        tuple(_claim_from_json(claim) for claim in stored["reference"]),
    )


def _claim_as_json(claim: Claim) -> dict[str, Any]:
    return {
        "text": claim.text,
        "contexts": [_verdict_as_json(verdict) for verdict in claim.contexts],
        "joined": _verdict_as_json(claim.joined),
        "other": _verdict_as_json(claim.other),
    }


def _claim_from_json(stored: Mapping[str, Any]) -> Claim:
    contexts = tuple(Verdict(bool(supported), reason) for supported, reason in stored["contexts"])
    return Claim(stored["text"], contexts, _verdict_from_json(stored["joined"]), _verdict_from_json(stored["other"]))


def _verdict_as_json(verdict: Verdict | None) -> list[Any] | None:
    return None if verdict is None else [verdict.supported, verdict.reason]


def _verdict_from_json(stored: list[Any] | None) -> Verdict | None:
    return None if stored is None else Verdict(bool(stored[0]), stored[1])
