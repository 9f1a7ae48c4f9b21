"""What a strictness costs: how many questions are then answered and declined, between the points that were measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

_MEASURED = "measured on articles it had not seen"
_SETTING = "found"
"""The figures that count: those with passages that a retriever found."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares, 0 to 1: of the answerable questions those answered, of the unanswerable ones those declined."""

    answered: float
    declined: float


def coverage_at(strictness: float, card: Mapping[str, Any]) -> Coverage | None:
    """Return what `strictness` leads to by the figures of the reader's card; None where the card has none.

    Between two measured points the shares lie on a line; at 0 everything is answered, at 1 nothing.
    """
    declined = card.get("figures", {}).get("declining", {}).get(_SETTING, {}).get("coverage", {})
    strictness_for = card["declining"].get("strictness_for", {})
    measured = [(float(strictness_for[share]), float(share), row[0]) for share, row in declined.items()]
    if not measured:
        return None
    places, answered, refused = zip(*sorted([(0.0, 1.0, 0.0), *measured, (1.0, 0.0, 1.0)]), strict=True)
    return Coverage(float(np.interp(strictness, places, answered)), float(np.interp(strictness, places, refused)))


def cost_of(strictness: float, card: Mapping[str, Any]) -> str:
    """Return what `strictness` costs as a sentence; empty where the card has no figures."""
    if strictness <= 0:
        return "0 answers every question, also those that the documents do not answer."
    if strictness >= 1:
        return "1 declines every question."
    found = coverage_at(strictness, card)
    if found is None:
        return ""
    return (
        f"{strictness:g} answers about {_of_100(found.answered)} answerable questions and declines about "
        f"{_of_100(found.declined)} that the documents do not answer ({_MEASURED})."
    )


def let_through(card: Mapping[str, Any]) -> float | None:
    """Return the share of unanswerable questions that get an answer as the reader is shipped; None where unknown."""
    found = coverage_at(card["declining"]["strictness"], card)
    return None if found is None else 1 - found.declined


def _of_100(share: float) -> str:
    return f"{round(100 * share)} of 100"
