"""How well a metric agrees with people's marks, and metrics with each other. Numbers only: scores, marks, pairs.

A mark is True (right, grounded) or False. Scores come oriented: higher is better (`oriented`). Rows come in clusters,
the twin pair with all its repeats, which are drawn and held out whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.roc import Bools, Indexes, auroc_estimate, cluster_numbers
from evaluation.stats import Estimate, Floats, Term, effective_size, estimate, wilson

FEWEST_MARKS = 10
FEWEST_OF_EACH = 3
"""With fewer marks, or fewer of one kind, nothing is computed: any threshold would look good."""
FEWEST_COUPLES = 5
FEWEST_CLUSTERS = 5
"""With fewer pairs of questions nothing can be held out."""
FOLDS, REPEATS = 10, 10


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
class Threshold:
    """A score from which an answer is called right (`score >= value`), and how well that does.

    `constant`: it calls all answers alike, so the score is of no use.
    """

    value: float
    accuracy: float
    kappa: float
    constant: bool


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The same on pairs that had no part in choosing the threshold: accuracy, its 95 % interval, kappa."""

    accuracy: float
    low: float
    high: float
    kappa: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """A metric against marks. Everything but the counts is None where `reason` says why nothing was computed.

    `commoner` is the accuracy of always saying the commoner mark: what an accuracy has to beat.
    `held_out` is None with too few pairs to hold any out.
    `pairwise` counts `couples` of a right and a wrong answer to the same question; None with `pairwise_reason`.
    """

    n: int
    positive: int
    reason: str = ""
    auroc: Estimate | None = None
    best: Threshold | None = None
    held_out: HeldOut | None = None
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
    if reason:
        return Agreement(n, positive, reason)
    values, clusters = couples(rows)
    enough = len(values) >= FEWEST_COUPLES
    return Agreement(
        n,
        positive,
        auroc=auroc_estimate(rows.scores, rows.marks, rows.clusters, seed=seed),
        best=best_threshold(rows.scores, rows.marks),
        held_out=held_out(rows, seed=seed) if len(set(rows.clusters)) >= FEWEST_CLUSTERS else None,
        commoner=max(positive, n - positive) / n,
        pairwise=estimate([Term(values, [("", each) for each in clusters])], seed=seed) if enough else None,
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


def best_threshold(scores: Floats, marks: Bools) -> Threshold:
    """Return the threshold with the highest accuracy on these very rows: an optimistic figure, see `held_out`.

    Candidates lie halfway between neighbouring scores, below all of them and above all of them; of equally good ones
    the one in the widest gap is taken. Cohen's kappa (1960) is that of its calls with the marks.
    """
    value = _fit(scores, marks)
    called = scores >= value
    constant = bool(called.all() or not called.any())
    return Threshold(value, float(np.mean(called == marks)), kappa(called, marks), constant)


def _fit(scores: Floats, marks: Bools) -> float:
    levels, level = np.unique(scores, return_inverse=True)
    wrong_below = np.concatenate(([0], np.cumsum(np.bincount(level, ~marks, len(levels)))))
    right_from = marks.sum() - np.concatenate(([0], np.cumsum(np.bincount(level, marks, len(levels)))))
    hits = wrong_below + right_from
    gaps = np.concatenate(([0.0], np.diff(levels), [0.0]))
    best = np.lexsort((-gaps, -hits))[0]
    if best == 0:
        return float(levels[0])
    if best == len(levels):
        return float(np.nextafter(levels[-1], np.inf))
    return float((levels[best - 1] + levels[best]) / 2)


def kappa(called: Bools, marks: Bools) -> float:
    """Return Cohen's kappa (1960): (p − e) / (1 − e), p the agreement, e the one expected of the two shares by chance.

    0 where one side is constant: then the agreement is what chance gives.
    """
    said, held = float(np.mean(called)), float(np.mean(marks))
    if said in (0, 1) or held in (0, 1):
        return 0.0
    expected = said * held + (1 - said) * (1 - held)
    return (float(np.mean(called == marks)) - expected) / (1 - expected)


def held_out(rows: Marked, *, seed: int = 0, folds: int = FOLDS, repeats: int = REPEATS) -> HeldOut:
    """Return how thresholds do on clusters that were left out when they were chosen.

    Cross-validation over clusters, repeated with other folds; the mean over repeats. (Leaving out one at a time is
    known to fall far below chance for a metric that says nothing, when both marks are equally frequent.) The interval
    is Wilson's at the effective number of rows, see `evaluation.stats.effective_size`.
    """
    index = rows.index
    right = np.zeros(len(index))
    kappas = []
    for parts in _splits(int(index.max()) + 1, folds, repeats, seed):
        called = np.zeros(len(index), np.bool_)
        for part in parts:
            out = np.isin(index, part)
            called[out] = rows.scores[out] >= _fit(rows.scores[~out], rows.marks[~out])
        right += called == rows.marks
        kappas.append(kappa(called, rows.marks))
    term = Term([float(each) for each in right / repeats], [("", each) for each in rows.clusters])
    size = effective_size(term)
    low, high = wilson(term.mean * size, size)
    return HeldOut(term.mean, low, high, math.fsum(kappas) / len(kappas))


def _splits(clusters: int, folds: int, repeats: int, seed: int) -> Iterator[list[Indexes]]:
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        yield [part for part in np.array_split(rng.permutation(clusters), min(folds, clusters)) if len(part)]


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
