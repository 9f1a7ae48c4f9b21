"""ClaimTable: what is stated in an answer and in its reference, and what supports it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

ANSWER_CONTEXTS = "answer_contexts"
REFERENCE_CONTEXTS = "reference_contexts"
ANSWER_REFERENCE = "answer_reference"
REFERENCE_ANSWER = "reference_answer"
PARTS = (ANSWER_CONTEXTS, REFERENCE_CONTEXTS, ANSWER_REFERENCE, REFERENCE_ANSWER)
"""What a table may hold: claims of one against the contexts, claims of the answer in the reference and vice versa."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a text supports a claim, and why the judge thinks so."""

    supported: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement. `contexts[i]` is the verdict of context i (rank i + 1); empty where contexts were not asked for.

    `joined`: the verdict of all contexts together, asked for where no single one supports it, else None.
    `other`: whether the reference (for a claim of the answer) or the answer (for one of the reference) states it.
    """

    text: str
    contexts: tuple[Verdict, ...] = ()
    joined: Verdict | None = None
    other: Verdict | None = None

    @property
    def supported_alone(self) -> bool:
        """True when one context supports it by itself."""
        return any(verdict.supported for verdict in self.contexts)

    @property
    def supported(self) -> bool:
        """True when one context supports it or, failing that, all joined."""
        return self.supported_alone or (self.joined is not None and self.joined.supported)

    @property
    def in_other(self) -> bool:
        """True when the other text states it too."""
        return self.other is not None and self.other.supported


@dataclass(frozen=True, slots=True)
class ClaimTable:
    """The claims of one answer and of its first reference.

    `problems`: why a part could not be had, by part. `notes` are remarks for the user (long texts).
    """

    answer: tuple[Claim, ...] = ()
    reference: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()
    problems: Mapping[str, str] = field(default_factory=dict)

    def problem(self, parts: Collection[str]) -> str:
        """Return why one of `parts` could not be had, or an empty string."""
        return next((self.problems[part] for part in PARTS if part in parts and part in self.problems), "")

    @property
    def relevant_contexts(self) -> tuple[bool, ...]:
        """For each context, whether it supports a claim of the reference by itself."""
        count = max((len(claim.contexts) for claim in (*self.answer, *self.reference)), default=0)
        return tuple(any(claim.contexts[at].supported for claim in self.reference) for at in range(count))

    def as_details(self) -> dict[str, Any]:
        """Return the table as JSON; `from_details` reads it back."""
        return {
            "answer": [_claim_as_json(claim) for claim in self.answer],
            "reference": [_claim_as_json(claim) for claim in self.reference],
            "notes": list(self.notes),
            "problems": dict(self.problems),
        }

    @classmethod
    def from_details(cls, stored: Mapping[str, Any]) -> ClaimTable:
        """Return the table that `as_details` stored."""
        return cls(
            tuple(_claim_from_json(claim) for claim in stored.get("answer", ())),
            tuple(_claim_from_json(claim) for claim in stored.get("reference", ())),
            tuple(stored.get("notes", ())),
            dict(stored.get("problems", {})),
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
