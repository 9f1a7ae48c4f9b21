"""When the reader declines: logistic regressions on its signals, fitted and measured article by article."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rag_pipeline.extractive_qa.answerability import Regression, is_alone
from rag_pipeline.extractive_qa.extractive_reader import ReadResult
from tests.bench.reader_training.measures import COVERAGES, auroc
from tests.bench.reader_training.trials import FOREIGN, FOUND, GOLD, Trial

Floats = npt.NDArray[np.float64]
ANSWERED = 0.8
"""Share of the answerable questions that are answered at the default strictness."""
_FOREIGN_WEIGHT = 0.3
"""A foreign question counts less: there is more to learn from those that look as if they were answered."""
SHORT = 0.55
"""Weight of `short`, which the regressions leave out, as their contexts are whole paragraphs. By it four of five
answerable questions reach the same probability with chunks of 100 to 600 characters of the seven articles."""
_PENALTY = 30.0
_FAR = 0.01
"""Share of the questions with their paragraph that may be taken as far off."""


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A trial and what the reader, which has not seen its article, found."""

    trial: Trial
    found: ReadResult

    @property
    def answerable(self) -> bool:
        """True where the question has an answer somewhere."""
        return bool(self.trial.example.answers)


@dataclass(frozen=True, slots=True)
class Fit:
    """The regression for several contexts and the one for one; `chances` are the probabilities of rows."""

    several: Regression
    alone: Regression

    def chances(self, rows: Sequence[TrialRow]) -> Floats:
        """Return the probability of each row that its contexts hold the answer; 0 where nothing was found."""
        return np.array([self._chance(row.found.signals) for row in rows])

    def _chance(self, found: Mapping[str, float]) -> float:
        return (self.alone if is_alone(found) else self.several).probability(found) if found else 0.0


def fit(rows: Sequence[TrialRow]) -> Fit:
    """Return the regressions on `rows`; that for several contexts learns from all.

    It stands for the other as well where questions with one context are all answerable, or none is.
    """
    used = [row for row in rows if row.found.signals and (row.trial.holds or not _lost(row))]
    alone = [row for row in used if is_alone(row.found.signals)]
    several = _regression(used)
    return Fit(several, _regression(alone) if len({row.trial.holds for row in alone}) == 2 else several)


def _regression(rows: Sequence[TrialRow]) -> Regression:
    from sklearn.linear_model import LogisticRegression

    names = [
        name for name in rows[0].found.signals if name != "short" and len({row.found.signals[name] for row in rows}) > 1
    ]
    table = np.array([[row.found.signals[name] for name in names] for row in rows])
    truth = np.array([row.trial.holds for row in rows])
    weight = np.array([_FOREIGN_WEIGHT if row.trial.setting == FOREIGN else 1.0 for row in rows])
    for label in (False, True):  # as many with an answer as without, by weight
        weight[truth == label] *= len(rows) / 2 / weight[truth == label].sum()
    mean, spread = table.mean(0), table.std(0) + 1e-9
    found = LogisticRegression(C=1 / _PENALTY, max_iter=1000).fit((table - mean) / spread, truth, weight)
    slopes = found.coef_[0] / spread
    weights = {name: round(float(slope), 4) for name, slope in zip(names, slopes, strict=True)}
    return Regression(weights, round(float(found.intercept_[0] - slopes @ mean), 4))


def _lost(row: TrialRow) -> bool:
    """True for a question that has an answer, in a paragraph that was not found: another may hold it as well."""
    return row.answerable and row.trial.setting == FOUND


def cross_chances(rows: Sequence[TrialRow]) -> Floats:
    """Return for each row its probability by the regressions on the other articles."""
    found = np.zeros(len(rows))
    for places, others in _by_article(rows):
        found[places] = fit([rows[place] for place in others]).chances([rows[place] for place in places])
    return found


def _by_article(rows: Sequence[TrialRow]) -> Iterator[tuple[list[int], list[int]]]:
    titles = [row.trial.example.title for row in rows]
    for title in sorted(set(titles)):
        yield (
            [place for place, each in enumerate(titles) if each == title],
            [place for place, each in enumerate(titles) if each != title],
        )


def strictness(rows: Sequence[TrialRow], chances: Floats) -> float:
    """Return the probability that ANSWERED of the answerable questions reach with found passages."""
    return reached([chance for row, chance in zip(rows, chances, strict=True) if _in(row, FOUND, answerable=True)])


def reached(chances: Sequence[float], share: float = ANSWERED) -> float:
    """Return what `share` of the chances reach."""
    return float(np.quantile(chances, 1 - share))


def article_auroc(rows: Sequence[TrialRow], chances: Floats, title: str) -> float | None:
    """Return the AUROC of answerability with the own paragraph, within an article; None where one kind is absent."""
    own = [(row, chance) for row, chance in zip(rows, chances, strict=True) if row.trial.example.title == title]
    good, bad = (
        np.array([chance for row, chance in own if _in(row, GOLD, answerable=answerable)])
        for answerable in (True, False)
    )
    return round(auroc(good, bad), 4) if len(good) and len(bad) else None


def _most_balanced(rows: Sequence[TrialRow], chances: Floats) -> float:
    """Return the strictness with the best balanced accuracy, each question with its own paragraph."""
    good, bad = (np.array([_in(row, GOLD, answerable=answerable) for row in rows]) for answerable in (True, False))
    if not good.any() or not bad.any():
        return strictness(rows, chances)
    cuts = np.unique(chances[good])
    return float(max(cuts, key=lambda cut: (chances[good] >= cut).mean() + (chances[bad] < cut).mean()))


def far(rows: Sequence[TrialRow]) -> float:
    """Return the best cosine that all but a hundredth of the questions with their paragraph reach."""
    near = [row.found.signals["closest"] for row in rows if row.trial.setting == GOLD and row.found.signals]
    return float(np.quantile(near, _FAR))


def _in(row: TrialRow, setting: str, *, answerable: bool) -> bool:
    return row.trial.setting == setting and row.answerable == answerable


def figures(rows: Sequence[TrialRow], chances: Floats) -> dict[str, Any]:
    """Return AUROC, balanced accuracy and coverage of declining.

    The strictness of each article is that of the others; `balanced_accuracy_at_best` takes the one that is best for
    them. `coverage` maps the share of answerable questions answered to the shares declined of the unanswerable and of
    the foreign ones.
    """
    decided, balanced = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
    for places, others in _by_article(rows):
        known = [rows[place] for place in others]
        decided[places] = chances[places] >= strictness(known, chances[others])
        balanced[places] = chances[places] >= _most_balanced(known, chances[others])
    found: dict[str, Any] = {}
    for setting in (GOLD, FOUND):
        good = np.array([_in(row, setting, answerable=True) for row in rows])
        bad = np.array([_in(row, setting, answerable=False) for row in rows])
        foreign = np.array([row.trial.setting == FOREIGN for row in rows])
        answered, declined = float(decided[good].mean()), float(1 - decided[bad].mean())
        cuts = {share: np.quantile(chances[good], 1 - share) for share in COVERAGES}
        found[setting] = {
            "auroc": round(auroc(chances[good], chances[bad]), 4),
            "answered": round(answered, 4),
            "declined": round(declined, 4),
            "foreign_declined": round(float(1 - decided[foreign].mean()), 4),
            "balanced_accuracy": round((answered + declined) / 2, 4),
            "balanced_accuracy_at_best": round(float(balanced[good].mean() + 1 - balanced[bad].mean()) / 2, 4),
            "coverage": {
                f"{share:g}": [round(float((chances[kind] < cut).mean()), 4) for kind in (bad, foreign)]
                for share, cut in cuts.items()
            },
        }
    return found
