"""Which configuration to use: the cheapest that is not worse than the best, in one sentence with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluation.experiments.verdicts import BEST, IDENTICAL, SAME, Standing

CEILING = 0.98
"""Share of a score's range from which on all that are better look the same."""
FEW_PAIRS = 20


@dataclass(frozen=True, slots=True)
class Offer:
    """A scored configuration: what it reached, and what it takes for a question. None where that is unknown.

    `chunks`: in the whole index. `contexts`: a digest of all that was retrieved; `swept`: the titles and values of the
    settings that retrieval reads.
    """

    number: int
    label: str
    mean: float
    verdict: Standing
    context_tokens: float | None = None
    cost_usd: float | None = None
    latency_s: float | None = None
    chunks: int | None = None
    contexts: str = ""
    swept: tuple[tuple[str, object], ...] = ()

    @property
    def expense(self) -> tuple[float, float, float]:
        """What orders offers by what they take: whole tokens of context, then cost, then time; unknown comes last."""
        costs = (self.context_tokens, self.cost_usd, self.latency_s)
        tokens, cost, latency = (float("inf") if each is None else each for each in costs)
        return (round(tokens) if tokens != float("inf") else tokens), cost, latency


@dataclass(frozen=True, slots=True)
class Basis:
    """What the scores were taken on. `high`: top of the score's range, None where that has no end."""

    pairs: int
    documents: int
    evidence_documents: int
    score: str
    high: float | None = 1.0


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The configuration to use (None where nothing was scored), why, and why to doubt it."""

    number: int | None
    reason: str
    remarks: list[str] = field(default_factory=list)


def recommend(offers: Sequence[Offer], delta: float, basis: Basis) -> Recommendation:
    """Return the cheapest offer that is not worse than the best by `delta` or more (in the score's unit).

    Not worse: the lower end of its interval lies above −delta, or it gave the same scores.
    """
    if not offers:
        return Recommendation(None, "No configuration could be scored, so there is nothing to recommend.")
    best = next(each for each in offers if each.verdict.word == BEST)
    good = [each for each in offers if _not_worse(each.verdict, delta)]
    chosen = min(good, key=lambda each: (each.expense, each.number != best.number, each.number))
    return Recommendation(chosen.number, _reason(chosen, best, offers, delta, basis), remarks(offers, basis))


def _not_worse(verdict: Standing, delta: float) -> bool:
    return verdict.word in (BEST, IDENTICAL) or (verdict.low is not None and verdict.low > -delta)


def _reason(chosen: Offer, best: Offer, offers: Sequence[Offer], delta: float, basis: Basis) -> str:
    """Return the recommendation as a sentence."""
    open_ones = sum(each.verdict.word == SAME for each in offers)
    subject = f"Use {chosen.label}"
    if len(offers) == 1:
        return f"{subject}: it is the only configuration that was scored."
    reached = f"{basis.score} {chosen.mean:.2f}"
    if chosen is not best:
        low = chosen.verdict.low or 0.0
        takes = _takes(chosen, best)
        return (
            f"{subject}: {reached}, at most {abs(min(low, 0.0)):.2f} below the best ({best.label}, {best.mean:.2f})"
            f"{takes}."
        )
    if open_ones == len(offers) - 1:
        return (
            f"There is no clear winner: {chosen.label} is ahead with {reached}, but these {basis.pairs} pairs "
            f"cannot tell it from {_others(open_ones)}."
        )
    doubt = f"; {_others(open_ones)} cannot be told from it yet" if open_ones else ""
    return f"{subject}: {reached}, the best, and nothing cheaper is within {delta:g} of it{doubt}."


def _others(count: int) -> str:
    return "the other" if count == 1 else f"{count} others"


def _takes(chosen: Offer, best: Offer) -> str:
    """Return what the choice saves against the best, in words."""
    fewer, more = chosen.context_tokens, best.context_tokens
    if fewer is not None and more and round(fewer) < round(more):
        share = f"{1 - fewer / more:.0%}".replace("%", " %")
        return f", with {round(fewer):,} tokens of context instead of {round(more):,} ({share} fewer)"
    if chosen.cost_usd is not None and best.cost_usd and chosen.cost_usd < best.cost_usd:
        return f", at {chosen.cost_usd / best.cost_usd:.0%} of the cost".replace("%", " %")
    if chosen.latency_s is not None and best.latency_s and chosen.latency_s < best.latency_s:
        return f", in {chosen.latency_s:.2f} s instead of {best.latency_s:.2f} s a question"
    return ", and it takes no more"


def remarks(offers: Sequence[Offer], basis: Basis) -> list[str]:
    """Return in sentences where this sweep measured nothing, or too little."""
    found = []
    if basis.high is not None and all(each.mean >= CEILING * basis.high for each in offers):
        found.append(
            f"Every configuration is at the ceiling ({basis.score} {CEILING * basis.high:.2f} or more): these "
            "questions are too easy to choose by. Add harder ones."
        )
    if all(each.chunks is not None and each.chunks <= basis.documents for each in offers):
        found.append("Every document is a single chunk in every configuration, so how documents are cut was not basis.")
    if basis.evidence_documents == 1 and basis.documents > 1:
        found.append("All evidence lies in one document: nothing shows how the settings do on the others.")
    if basis.pairs < FEW_PAIRS:
        found.append(f"There are only {basis.pairs} pairs; from {FEW_PAIRS} on small differences begin to show.")
    return found + [
        f"{name} changed no ranking: whatever its value, the same was retrieved." for name in without_effect(offers)
    ]


def without_effect(offers: Sequence[Offer]) -> list[str]:
    """Return the swept settings whose value never changed what was retrieved, all others being equal."""
    names = list(dict.fromkeys(name for each in offers for name, _ in each.swept))
    return [name for name in names if _changed_nothing(name, offers)]


def _changed_nothing(name: str, offers: Sequence[Offer]) -> bool:
    groups: dict[tuple[tuple[str, object], ...], list[Offer]] = {}
    for each in offers:
        if dict(each.swept).get(name) is not None and each.contexts:
            groups.setdefault(tuple(part for part in each.swept if part[0] != name), []).append(each)
    compared = [group for group in groups.values() if len({dict(each.swept)[name] for each in group}) > 1]
    return bool(compared) and all(len({each.contexts for each in group}) == 1 for group in compared)
