"""Scores and differences in words."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.scoring.scales import Scale
from evaluation.statistics.paired import SAME, SIGNIFICANT, Difference, holm

FEWEST_PAIRS = 6
"""With fewer pairs even a change in all of them can be chance: nothing can be told apart."""

_GROUPS = {
    "attempted": "Attempted among answerable",
    "right": "Answered rightly among answerable",
    "refused": "Refused among out-of-scope",
    "near": "Refused, near out-of-scope",
    "far": "Refused, far out-of-scope",
    "twin_loss": "Lost against the simple twin",
    "kind:simple": "Simple questions",
    "kind:complex": "Complex questions",
    "error:none": "No slip",
    "transformation:none": "No transformation",
}
_PREFIXES = {"error": "Slip: ", "transformation": "Twin: "}


def difference_sentence(label: str, difference: Difference, n: int, scale: Scale) -> str:
    """Return a difference with its uncertainty and what may be concluded from it."""
    questions = f"{n} question" if n == 1 else f"{n} questions"
    interval = f"95 % interval {scale.end(difference.low)} to {scale.end(difference.high)}"
    if difference.verdict == SAME and abs(difference.mean) < 1e-9 and difference.p == 1.0:
        start = f"{label} is unchanged on {questions} ({interval})"
    else:
        start = f"{label} {scale.change(difference.mean)} on {questions} ({interval}, {p_words(difference.p)})"
    if difference.verdict == SAME and difference.clusters < FEWEST_PAIRS:
        pairs = "pair" if difference.clusters == 1 else "pairs"
        return f"{start}: not distinguishable; {difference.clusters} {pairs} are too few to tell."
    return f"{start}: {difference.verdict}."


def family_sentence(ps: Mapping[str, float]) -> str:
    """Return which of several differences stand when all are looked at, empty where none does alone. `ps` by label.

    Each has one chance in twenty of being called different by mistake; Holm's correction leaves the family that chance.
    """
    alone = [label for label, p in ps.items() if p < SIGNIFICANT]
    if not alone or len(ps) < 2:
        return ""
    together = [label for label, p in zip(ps, holm(list(ps.values())), strict=True) if p < SIGNIFICANT]
    standing = (
        f"{', '.join(together)} still {'differ' if len(together) > 1 else 'differs'}" if together else "none stands"
    )
    return f"Corrected for looking at {len(ps)} differences at once (Holm), {standing}."


def p_words(p: float) -> str:
    """Return a p-value with two significant digits, “p < 0.001” below that."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def group_label(group: str) -> str:
    """Return the name of a part of a run on screen."""
    if group in _GROUPS:
        return _GROUPS[group]
    prefix, _, name = group.partition(":")
    words = (name or prefix).replace("_", " ")
    return f"{_PREFIXES[prefix]}{words}" if prefix in _PREFIXES else words.capitalize()
