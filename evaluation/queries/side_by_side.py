"""Any number of runs beside a baseline: differences, settings, and the questions with everybody's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, NamedTuple

from evaluation.models import Question, Run
from evaluation.queries.comparison import CLEAR_CHANGE, compare_loaded, first_answers
from evaluation.queries.context_views import ContextView
from evaluation.queries.differences import Key, ScoredRun, load_scores_of, question_changes, why_incomparable
from evaluation.queries.rows import Comparison, PairedDifference, QuestionRow, RunRow
from evaluation.queries.runs import rows_of
from evaluation.queries.settings import all_settings, setting_label
from evaluation.spec import run_settings
from evaluation.statistics.paired import SIGNIFICANT, holm

EVERY, WON, LOST, SAME, FLIPS = "all", "won", "lost", "same", "flips"
RIGHT_FROM = 0.5
"""A question whose score by kind crosses this flips: from wrong to right or back."""
ANSWERS_A_PAGE = 40
"""Twenty questions of two runs, eight of five: each answer brings all its contexts."""


@dataclass(frozen=True, slots=True)
class AgainstBaseline:
    """A run's difference to the baseline in one score. `p_holm`: corrected for the runs that are compared with it."""

    row: RunRow
    difference: PairedDifference
    p_holm: float | None

    @property
    def falls(self) -> bool:
        """True where it is a difference alone, and none when all runs are looked at."""
        alone = self.difference.p is not None and self.difference.p < SIGNIFICANT
        return alone and self.p_holm is not None and self.p_holm >= SIGNIFICANT


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A score of all runs."""

    metric: str
    label: str
    baseline: float | None
    runs: list[AgainstBaseline]


@dataclass(frozen=True, slots=True)
class SettingLine:
    """A setting in which runs differ: the baseline's value, and each run's with whether it is another one.

    `long`: a text, such as a prompt.
    """

    name: str
    label: str
    baseline: Any
    values: list[tuple[RunRow, Any, bool]]
    long: bool = False


@dataclass(frozen=True, slots=True)
class AnswerBeside:
    """A run's answer to a question. `change` against the baseline in the score called `metric`; None for the baseline
    itself and where one of the two has none. `row` is None where the run did not ask it.
    """

    run: RunRow
    row: QuestionRow | None
    contexts: list[ContextView]
    metric: str
    value: float | None = None
    change: float | None = None
    outcome: str = ""
    flips: bool = False

    @property
    def ranks(self) -> list[int]:
        """At which ranks evidence was retrieved."""
        return [each.rank for each in self.contexts if each.has_evidence]


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """A question with the baseline's answer and those of the other runs."""

    question: Question
    baseline: AnswerBeside
    others: list[AnswerBeside]


@dataclass(frozen=True)
class SideBySide:
    """Runs beside their baseline, each compared with it; `questions` holds one page of the questions that are shown."""

    baseline: RunRow
    comparisons: list[Comparison]
    scores: list[ScoreLine]
    further: list[ScoreLine]
    settings: list[SettingLine]
    counts: Mapping[str, int]
    shown: str = EVERY
    number: int = 1
    pages: int = 1
    questions: list[QuestionLine] = field(default_factory=list)

    @property
    def rows(self) -> list[RunRow]:
        """The runs, the baseline first."""
        return [self.baseline, *(each.b for each in self.comparisons)]

    @property
    def has_previous(self) -> bool:
        """True when there is a page before this one."""
        return self.number > 1

    @property
    def has_next(self) -> bool:
        """True when there is a page after this one."""
        return self.number < self.pages


def compare_with(
    *, baseline: Run, others: Sequence[Run], shown: str = EVERY, page: int = 1, whole: bool = False
) -> SideBySide:
    """Return runs beside a baseline, with a page of the questions: all, won, lost, the same, or those that flip.

    A question is won or lost where one of the runs won or lost it. `whole`: all on one page.
    """
    rows = rows_of([baseline, *others])
    scores = load_scores_of([row.run for row in rows], further=True)
    loaded = [(row, scores[row.run.pk]) for row in rows]
    first, rest = loaded[0], loaded[1:]
    comparisons = [compare_loaded(first, each, further=True) for each in rest]
    outcomes = [_outcomes(first[1], each[1]) for each in rest]
    kinds = _kinds(first[1], outcomes)
    shown = shown if shown in kinds else EVERY
    keys = kinds[shown]
    size = max(1, len(keys) if whole else ANSWERS_A_PAGE // len(rows))
    pages = max(1, ceil(len(keys) / size))
    page = min(max(1, page), pages)
    return SideBySide(
        baseline=rows[0],
        comparisons=comparisons,
        scores=_score_lines(comparisons, rows[0], [each.differences for each in comparisons]),
        further=_score_lines(comparisons, rows[0], [each.further for each in comparisons]),
        settings=_setting_lines(rows),
        counts={name: len(found) for name, found in kinds.items()},
        shown=shown,
        number=page,
        pages=pages,
        questions=_question_lines(loaded, keys[(page - 1) * size : page * size], outcomes),
    )


class _Outcome(NamedTuple):
    metric: str
    value: float | None
    change: float | None = None
    word: str = ""
    flips: bool = False


def _outcomes(a: ScoredRun, b: ScoredRun) -> dict[Key, _Outcome]:
    if why_incomparable(a, b):
        return {}
    found: dict[Key, _Outcome] = {}
    for key, (metric, change) in question_changes(a, b).items():
        value = b.values.get(key, {}).get(metric)
        if change is None or value is None:
            found[key] = _Outcome(metric, value)
            continue
        word = WON if change >= CLEAR_CHANGE else LOST if change <= -CLEAR_CHANGE else SAME
        flips = (value >= RIGHT_FROM) != (value - change >= RIGHT_FROM)
        found[key] = _Outcome(metric, value, change, word, flips)
    return found


def _kinds(baseline: ScoredRun, outcomes: Sequence[Mapping[Key, _Outcome]]) -> dict[str, list[Key]]:
    """Return the questions of each kind: in the order of the test set, those that changed by size."""
    positions = {key: question.position for key, question in baseline.questions.items()}
    keys = sorted({key for each in outcomes for key in each}, key=lambda key: (positions.get(key, 0), key))
    found = {key: [each[key] for each in outcomes if key in each] for key in keys}
    by_size = sorted(keys, key=lambda key: -max(abs(one.change or 0.0) for one in found[key]))

    def having(word: str) -> list[Key]:
        return [key for key in by_size if any(one.word == word for one in found[key])]

    return {
        EVERY: keys,
        WON: having(WON),
        LOST: having(LOST),
        SAME: [key for key in keys if all(one.word == SAME for one in found[key])],
        FLIPS: [key for key in by_size if any(one.flips for one in found[key])],
    }


def _score_lines(
    comparisons: Sequence[Comparison], baseline: RunRow, differences: Sequence[Sequence[PairedDifference]]
) -> list[ScoreLine]:
    """Return a line for each score, its p-values corrected over the runs."""
    labels = {each.metric: each.label for found in differences for each in found}
    by_run = [{each.metric: each for each in found} for found in differences]
    lines = []
    for metric, label in labels.items():
        held = [
            (comparison.b, own[metric]) for comparison, own in zip(comparisons, by_run, strict=True) if metric in own
        ]
        ps = [each.p for _, each in held if each.p is not None]
        corrected = iter(holm(ps))
        cells = [AgainstBaseline(row, each, None if each.p is None else next(corrected)) for row, each in held]
        lines.append(ScoreLine(metric, label, baseline.mean(metric), cells))
    return lines


def _setting_lines(rows: Sequence[RunRow]) -> list[SettingLine]:
    values = [all_settings(row) for row in rows]
    declared = run_settings()
    lines = []
    for name in dict.fromkeys(name for each in values for name in each):
        first, *others = (each.get(name) for each in values)
        if any(other != first for other in others):
            long = name in declared and declared[name].info.lines > 1
            cells = [(row, other, other != first) for row, other in zip(rows[1:], others, strict=True)]
            lines.append(SettingLine(name, setting_label(name), first, cells, long))
    return lines


def _question_lines(
    loaded: Sequence[tuple[RunRow, ScoredRun]], keys: Sequence[Key], outcomes: Sequence[Mapping[Key, _Outcome]]
) -> list[QuestionLine]:
    columns = [_answers_of(row, scores, keys) for row, scores in loaded]
    lines = []
    for key in keys:
        baseline = columns[0][key]
        metric = next((each[key].metric for each in outcomes if key in each), "")
        value = loaded[0][1].values.get(key, {}).get(metric)
        others = [_with_outcome(column[key], each.get(key)) for column, each in zip(columns[1:], outcomes, strict=True)]
        question = loaded[0][1].questions[key]
        lines.append(QuestionLine(question, replace(baseline, metric=metric, value=value), others))
    return lines


def _with_outcome(beside: AnswerBeside, outcome: _Outcome | None) -> AnswerBeside:
    if outcome is None:
        return beside
    metric, value, change, word, flips = outcome
    return replace(beside, metric=metric, value=value, change=change, outcome=word, flips=flips)


def _answers_of(row: RunRow, scores: ScoredRun, keys: Sequence[Key]) -> dict[Key, AnswerBeside]:
    asked = [key for key in keys if key in scores.questions]
    rows, contexts = first_answers(scores, asked)
    return {key: AnswerBeside(row, rows.get(key), contexts.get(key, []), "") for key in keys}
