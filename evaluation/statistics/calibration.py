"""How well a metric agrees with people's marks, and metrics with each other. Numbers only: scores, marks, pairs.

A mark is True (right, grounded) or False. Scores come oriented: higher is better (`oriented`). Rows come in clusters,
the twin pair with all its repeats, which are drawn whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.statistics.intervals import Estimate, Floats, Term, estimate
from evaluation.statistics.roc import Bools, Indexes, auroc_estimate, cluster_numbers
from evaluation.statistics.thresholds import Corrected, Threshold, best_threshold, corrected

FEWEST_MARKS = 10
FEWEST_OF_EACH = 3
"""With fewer marks, or fewer of one kind, nothing is computed: any threshold would look good."""
FEWEST_COUPLES = 5


@dataclass(frozen=True)
class Marked:
    """Rows that were both scored and marked: `scores[i]`, `marks[i]`, and the cluster that row i belongs to."""

    scores: Floats
    marks: Bools
    clusters: tuple[str, ...]

    @classmethod
    def of(cls, scores: Sequence[float], marks: Sequence[bool], clusters: Sequence[str] | None = None) -> Marked:
        """Return rows; without `clusters` each row is one of its own. Raises ValueError for unequal lengths."""
        names = tuple(map(str, range(len(scores)))) if clusters is None else tuple(clusters)
        if not len(scores) == len(marks) == len(names):
            raise ValueError("scores, marks and clusters must be equally many")
        return cls(np.asarray(scores, np.float64), np.asarray(marks, np.bool_), names)

    @property
    def index(self) -> Indexes:
        """The number of each row's cluster."""
        return cluster_numbers(self.clusters)


@dataclass(frozen=True, slots=True)
class Agreement:
    """A metric against marks. Everything but the counts is None where `reason` says why nothing was computed.

    `commoner` is the accuracy of always saying the commoner mark: what an accuracy has to beat.
    `best` is the best threshold on these very rows, `corrected` what it is expected to reach on others.
    `pairwise` counts `couples` of a right and a wrong answer to the same question; None with `pairwise_reason`.
    """

    n: int
    positive: int
    reason: str = ""
    auroc: Estimate | None = None
    best: Threshold | None = None
    corrected: Corrected | None = None
    commoner: float = 0.0
    pairwise: Estimate | None = None
    couples: int = 0
    pairwise_reason: str = ""


def oriented(scores: Sequence[float], *, higher_is_better: bool) -> list[float]:
    """Return scores of which the higher is the better: those of a lower-is-better metric change their sign."""
    return list(scores) if higher_is_better else [-score for score in scores]


def agreement(rows: Marked, *, words: tuple[str, str] = ("right", "wrong"), seed: int = 0) -> Agreement:
    """Return everything about one metric and one kind of mark. `words` name the two marks in reasons."""
    n, positive = len(rows.marks), int(rows.marks.sum())
    reason = too_little(n, positive, words)
    if not reason and np.ptp(rows.scores) == 0:
        reason = f"all {n} marked answers have the same score"
    if reason:
        return Agreement(n, positive, reason)
    values, clusters = couples(rows)
    enough = len(values) >= FEWEST_COUPLES
    return Agreement(
        n,
        positive,
        auroc=auroc_estimate(rows.scores, rows.marks, rows.clusters, seed=seed),
        best=best_threshold(rows.scores, rows.marks),
        corrected=corrected(rows.scores, rows.marks, rows.clusters, seed=seed),
        commoner=max(positive, n - positive) / n,
        pairwise=estimate([Term(values, [("", each) for each in clusters])]) if enough else None,
        couples=len(values),
        pairwise_reason="" if enough else _too_few_couples(len(values), words),
    )


def too_little(n: int, positive: int, words: tuple[str, str]) -> str:
    """Return why so many marks say nothing about a metric, or an empty string."""
    if n < FEWEST_MARKS:
        return (
            f"{n or 'none'} of the marked answers {'has' if n == 1 else 'have'} this score; {FEWEST_MARKS} are needed"
        )
    for count, word in ((positive, words[0]), (n - positive, words[1])):
        if count < FEWEST_OF_EACH:
            found = f"only {count}" if count else "none"
            verb = "is" if count == 1 else "are"
            return f"{found} of the {n} marked answers with this score {verb} {word}; {FEWEST_OF_EACH} are needed"
    return ""


def _too_few_couples(count: int, words: tuple[str, str]) -> str:
    return (
        f"{count} couples of a {words[0]} and a {words[1]} answer to the same question; {FEWEST_COUPLES} are needed "
        "(from twins, repeats or other runs)"
    )


def couples(rows: Marked) -> tuple[list[float], list[str]]:
    """Return 1 for each right and wrong answer of one cluster where the right one scores higher, ½ for a tie, else 0.

    With each comes its cluster. Over all rows, not only within clusters, the mean of such values is the AUROC. Within a
    question, the ease of the question no longer helps: this is the choice between two answers to the same question
    (as in the WikiEval comparison of the RAGAS paper, Es et al. 2023).
    """
    values: list[float] = []
    clusters: list[str] = []
    index = rows.index
    for cluster in np.unique(index):
        members = index == cluster
        right, wrong = rows.scores[members & rows.marks], rows.scores[members & ~rows.marks]
        if len(right) and len(wrong):
            won = (np.sign(right[:, None] - wrong[None, :]) + 1) / 2
            values += [float(each) for each in won.ravel()]
            clusters += [rows.clusters[int(np.flatnonzero(members)[0])]] * won.size
    return values, clusters
