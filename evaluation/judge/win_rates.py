"""Many verdicts on pairs of answers to one share of wins, with its uncertainty and how consistent the judge was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from evaluation.judge.preference import DRAW, FIRST, LOSS, SECOND, WIN
from evaluation.statistics.intervals import Cluster, Term
from evaluation.statistics.paired import BETTER, WORSE, paired_difference
from evaluation.types import Score

_TURNED = {BETTER: WORSE, WORSE: BETTER}


@dataclass(frozen=True, slots=True)
class PreferenceSummary:
    """How often the answers of one system were preferred to those of another.

    `win_rate` counts a tie as half a win; its 95 % interval and `p` take pairs of questions as one (`clusters`).
    `verdict`: better, worse or not distinguishable (from 0.5). Of the `n` verdicts the judge was asked for `asked`: the
    answers of the others are the same. `inconsistent` of these differed between the two orders, and of those the judge
    took the answer that stood first (second) both times `took_first` (`took_second`) times.
    `win_rate` and all that goes with it are None where no pair has a verdict, and where the judge gave none: that some
    answers are the same then says nothing of the others.
    """

    win_rate: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    p: float | None = None
    verdict: str = ""
    n: int = 0
    n_null: int = 0
    clusters: int = 0
    wins: int = 0
    ties: int = 0
    losses: int = 0
    asked: int = 0
    inconsistent: int = 0
    took_first: int = 0
    took_second: int = 0

    @property
    def share_inconsistent(self) -> float | None:
        """Share of the judge's verdicts on which the two orders did not agree."""
        return self.inconsistent / self.asked if self.asked else None

    def turned(self) -> PreferenceSummary:
        """Return the same, seen from the other system."""
        return replace(
            self,
            win_rate=_rest(self.win_rate),
            ci_low=_rest(self.ci_high),
            ci_high=_rest(self.ci_low),
            verdict=_TURNED.get(self.verdict, self.verdict),
            wins=self.losses,
            losses=self.wins,
        )

    def as_json(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return asdict(self)


def summarise_preferences(verdicts: Sequence[tuple[Cluster, Score]]) -> PreferenceSummary:
    """Return the share of wins. Each verdict comes with its pair of questions, within which verdicts are not apart.

    The interval is that of the mean of 2 · value − 1, from −1 (always worse) to 1 (always better): `paired_difference`.
    """
    scored = [(cluster, score.value, score.details) for cluster, score in verdicts if score.value is not None]
    null = len(verdicts) - len(scored)
    if not scored:
        return PreferenceSummary(n_null=null)
    clusters, values, details = zip(*scored, strict=True)
    asked = sum("shown_first" in each for each in details)
    if null and not asked:
        return PreferenceSummary(n_null=null)
    places = Counter(each.get("place_taken") for each in details)
    found = paired_difference([Term([2 * value - 1 for value in values], clusters, low=-1.0, high=1.0)])
    return PreferenceSummary(
        win_rate=(found.mean + 1) / 2,
        ci_low=(found.low + 1) / 2,
        ci_high=(found.high + 1) / 2,
        p=found.p,
        verdict=found.verdict,
        n=len(scored),
        n_null=null,
        clusters=found.clusters,
        wins=values.count(WIN),
        ties=values.count(DRAW),
        losses=values.count(LOSS),
        asked=asked,
        inconsistent=sum(not each.get("orders_agree", True) for each in details),
        took_first=places[FIRST],
        took_second=places[SECOND],
    )


def _rest(share: float | None) -> float | None:
    return None if share is None else 1 - share
