"""The score from which an answer is called right: the best one, and how good it is on answers it was not chosen on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.statistics.intervals import Floats, Term, effective_size, wilson
from evaluation.statistics.roc import RESAMPLES, Bools, Levels

_TIE = 1e-7
"""Less than any difference of accuracies: of equally good thresholds, the one in the widest gap is taken."""


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
class Corrected:
    """What the best threshold is expected to reach on other answers: accuracy, its 95 % interval, Cohen's kappa."""

    accuracy: float
    low: float
    high: float
    kappa: float


@dataclass(frozen=True)
class _Cuts:
    """All thresholds on several weightings of the same rows; arrays of shape (weightings, thresholds).

    Threshold k calls the distinct scores from number k on right; the last one calls none right.
    """

    accuracy: Floats
    kappa: Floats

    @classmethod
    def of(cls, levels: Levels) -> _Cuts:
        """Try all thresholds on each row of `levels`."""
        right, wrong = _from_each_on(levels.right), _from_each_on(levels.wrong)
        all_right, all_wrong = right[:, :1], wrong[:, :1]
        total = all_right + all_wrong
        accuracy = (right + all_wrong - wrong) / total
        said, held = (right + wrong) / total, all_right / total
        expected = said * held + (1 - said) * (1 - held)
        with np.errstate(invalid="ignore", divide="ignore"):
            kappa = np.where(expected < 1 - 1e-12, (accuracy - expected) / (1 - expected), 0.0)
        kappa[:, (0, -1)] = 0.0  # all called alike
        return cls(accuracy, kappa)


def _from_each_on(column: Floats) -> Floats:
    """Return the sums from each place on, and 0 behind the last."""
    sums = np.cumsum(column[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([sums, np.zeros((len(column), 1))], axis=1)


def best_threshold(scores: Floats, marks: Bools) -> Threshold:
    """Return the threshold with the highest accuracy on these very rows: an optimistic figure, see `corrected`.

    Candidates lie halfway between neighbouring scores, at the lowest, and above all of them; of equally good ones the
    one in the widest gap is taken. Kappa is Cohen's (1960): (p − e) / (1 − e), p the agreement of calls and marks, e
    the one expected of their two shares by chance; 0 where the calls are all alike.
    """
    levels = Levels.of(scores, marks)
    cuts, values = _Cuts.of(levels), levels.values
    best = int(np.argmax(cuts.accuracy[0] + _TIE * _gaps(values)))
    at = _value(values, best)
    return Threshold(at, float(cuts.accuracy[0, best]), float(cuts.kappa[0, best]), best in (0, len(values)))


def _gaps(levels: Floats) -> Floats:
    """Return the width of the gap that each threshold lies in, the widest as 1; 0 at both ends."""
    gaps = np.concatenate(([0.0], np.diff(levels), [0.0]))
    return gaps / max(float(gaps.max()), np.finfo(float).tiny)


def _value(levels: Floats, place: int) -> float:
    if place == 0:
        return float(levels[0])
    if place == len(levels):
        return float(np.nextafter(levels[-1], np.inf))
    return float((levels[place - 1] + levels[place]) / 2)


def corrected(
    scores: Floats, marks: Bools, clusters: Sequence[str], *, seed: int = 0, resamples: int = RESAMPLES
) -> Corrected:
    """Return accuracy and kappa of the best threshold, less what choosing it on the same rows flatters them by.

    Efron and Gong's optimism (1983; Harrell 1996): the threshold that is best on a resample of whole clusters does
    better there than on all rows; the mean of that difference is taken off. (Cross-validation falls below chance for
    a score that says nothing: what is left out has too many of the mark that is rarer in the rest.) The interval is
    Wilson's at the effective number of rows, see `evaluation.statistics.intervals.effective_size`.
    """
    best = best_threshold(scores, marks)
    own = _Cuts.of(Levels.of(scores, marks))
    levels = Levels.of(scores, marks, clusters)
    gaps = _gaps(levels.values)
    flattered = []
    for drawn in levels.resamples(seed, resamples):
        cuts = _Cuts.of(drawn)
        chosen = np.argmax(cuts.accuracy + _TIE * gaps, axis=1)
        rows = np.arange(len(chosen))
        flattered.append(
            [cuts.accuracy[rows, chosen] - own.accuracy[0, chosen], cuts.kappa[rows, chosen] - own.kappa[0, chosen]]
        )
    accuracy, kappa = np.concatenate(flattered, axis=1).mean(axis=1)
    share = min(1.0, max(0.0, best.accuracy - max(0.0, float(accuracy))))
    hits = ((scores >= best.value) == marks).astype(np.float64)
    size = effective_size(Term([float(hit) for hit in hits], [("", each) for each in clusters]))
    low, high = wilson(share * size, size)
    return Corrected(share, low, high, best.kappa - max(0.0, float(kappa)))
