"""Two runs beside each other: what differs, by how much, and which questions were won and lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.metrics.base import metrics
from evaluation.models import Answer, Run, RunMetric
from evaluation.queries.answers import context_views, load_answer_scores, question_row
from evaluation.queries.context_views import ContextView
from evaluation.queries.differences import (
    Key,
    ScoredRun,
    further_differences,
    load_scores_of,
    metric_label,
    paired_differences,
    question_changes,
    why_incomparable,
)
from evaluation.queries.rows import (
    Comparison,
    GroupValue,
    OlderFormulas,
    PairedDifference,
    QuestionChange,
    QuestionRow,
    RunRow,
    ScoreCard,
)
from evaluation.queries.runs import summary_of
from evaluation.queries.sentences import family_sentence, group_label
from evaluation.queries.settings import differing_settings
from evaluation.queries.stored_answers import make_samples
from evaluation.scoring.comparability import other_formulas
from evaluation.scoring.summaries import TOTAL, TOTAL_HIGH
from evaluation.spec import HEADLINE
from evaluation.types import Summary

CLEAR_CHANGE = 0.1
"""A question is won or lost when its score by kind changed by so much."""
_TOTAL_HELP = "The weighted mean of the five scores, from 0 to 5."


def score_cards(
    *, run: Run, previous: Run | None = None, preferred: Run | None = None, compared: Comparison | None = None
) -> list[ScoreCard]:
    """Return the five scores and the total of a run, each with its difference to two other runs; [] until scored.

    `compared`: the comparison with the previous one, where it is there already.
    """
    stored = list(RunMetric.objects.filter(scoring__run=run, scoring__current=True).order_by("id"))
    if not stored:
        return []
    summaries = {(row.metric, row.group): summary_of(row) for row in stored}
    known = {each.metric: each for each in compared.differences} if compared else {}
    against_previous = known or _against(run, previous)
    against_preferred = against_previous if preferred == previous else _against(run, preferred)
    marks = _marks(preferred, against_preferred)
    return [
        _card(name, summaries, against_previous, against_preferred, marks)
        for name in (*HEADLINE, TOTAL)
        if (name, "") in summaries
    ]


def compare_runs(*, a: RunRow, b: RunRow, limit: int = 50, further: bool = False) -> Comparison:
    """Return what run b does otherwise than run a, with at most `limit` of the questions won and lost each, the largest
    changes first.
    """
    scores = load_scores_of([a.run, b.run], further=further)
    return compare_loaded((a, scores[a.run.pk]), (b, scores[b.run.pk]), limit=limit, further=further)


def compare_loaded(
    a: tuple[RunRow, ScoredRun], b: tuple[RunRow, ScoredRun], *, limit: int = 0, further: bool = False
) -> Comparison:
    """Return what run b does otherwise than run a, of runs that are loaded; `further`: with metrics beside the five.

    A question is won (lost) when its score by kind (recall, robustness or knowledge bounding) rose (fell) by
    a tenth or more.
    """
    (row_a, scores_a), (row_b, scores_b) = a, b
    note = why_incomparable(scores_a, scores_b)
    changes = {} if note else question_changes(scores_a, scores_b)
    scored = {key: change for key, (_, change) in changes.items() if change is not None}
    won = {key: change for key, change in scored.items() if change >= CLEAR_CHANGE}
    lost = {key: change for key, change in scored.items() if change <= -CLEAR_CHANGE}
    shown = [*_largest(won, limit), *_largest(lost, limit)]
    views = _question_changes(scores_a, scores_b, shown, changes) if shown else []
    differences = list(paired_differences(scores_a, scores_b).values())
    beside = further_differences(scores_a, scores_b) if further else []
    return Comparison(
        a=row_a,
        b=row_b,
        settings=differing_settings(row_a, row_b),
        differences=differences,
        won=views[: min(limit, len(won))],
        lost=views[min(limit, len(won)) :],
        same=len(scored) - len(won) - len(lost),
        uncompared=len(changes) - len(scored),
        note=note or _partial_note(scores_a, scores_b),
        won_count=len(won),
        lost_count=len(lost),
        further=beside,
        only_one=_only_one(scores_a, scores_b) if further else [],
        older=_older(scores_a, scores_b, further=further),
        together=_together(differences),
        further_together=_together(beside),
    )


def _together(differences: Sequence[PairedDifference]) -> str:
    """Return which of the differences stand when all are looked at."""
    return family_sentence({each.label: each.p for each in differences if each.p is not None})


def _only_one(a: ScoredRun, b: ScoredRun) -> list[str]:
    """Return the further metrics that one of the runs lacks, by their names on screen."""
    held = [set(each.spec.metrics) if each.spec else set() for each in (a, b)]
    return sorted(metric_label(name) for name in held[0] ^ held[1])


def _older(a: ScoredRun, b: ScoredRun, *, further: bool) -> list[OlderFormulas]:
    """Return the runs to score again, because they computed one of the scores shown by different formulas."""
    if not (a.spec and a.how and b.spec and b.how):
        return []
    names = (*HEADLINE, *(sorted({*a.spec.metrics} & {*b.spec.metrics}) if further else ()))
    differing = [name for name in names if other_formulas(name, a.how, b.how)]
    found = [(each.run, [unit for name in differing for unit in each.how.older(name)]) for each in (a, b) if each.how]
    return [OlderFormulas(run, list(dict.fromkeys(units))) for run, units in found if units]


def _partial_note(a: ScoredRun, b: ScoredRun) -> str:
    common = len(a.questions.keys() & b.questions.keys())
    everything = len(a.questions.keys() | b.questions.keys())
    if common == everything:
        return ""
    return f"Only the {common} questions that both runs asked are compared; {everything - common} others are left out."


def _against(run: Run, other: Run | None) -> Mapping[str, PairedDifference]:
    if other is None or other == run:
        return {}
    scores = load_scores_of([run, other])
    return paired_differences(scores[other.pk], scores[run.pk])


def _marks(run: Run | None, against: Mapping[str, PairedDifference]) -> dict[str, float | None]:
    """Return the scores of another run to mark on the tracks: those that can be compared."""
    comparable = [name for name, difference in against.items() if difference.mean_diff is not None]
    rows = RunMetric.objects.filter(scoring__run=run, scoring__current=True, group="", metric__in=comparable)
    return dict(rows.values_list("metric", "mean"))


def _card(
    name: str,
    summaries: Mapping[tuple[str, str], Summary],
    against_previous: Mapping[str, PairedDifference],
    against_preferred: Mapping[str, PairedDifference],
    marks: Mapping[str, float | None],
) -> ScoreCard:
    summary = summaries[name, ""]
    return ScoreCard(
        metric=name,
        label=metric_label(name),
        help=_TOTAL_HELP if name == TOTAL else metrics.get(name).help,
        high=TOTAL_HIGH if name == TOTAL else metrics.get(name).high,
        summary=summary,
        hint=score_hint(name, summary),
        previous=against_previous.get(name),
        preferred=against_preferred.get(name),
        preferred_value=marks.get(name),
        groups=[
            GroupValue(group, group_label(group), each)
            for (metric, group), each in summaries.items()
            if metric == name and group
        ],
    )


_RATES = {"attempted": "attempted", "right": "answered rightly", "refused": "refused"}


def score_hint(name: str, summary: Summary) -> str:
    """Return a remark that a reader of the score needs, or an empty string."""
    if name != "knowledge_bounding" or summary.mean is None:
        return ""
    rates = {part: summary.details.get(part) for part in _RATES}
    parts = ", ".join(
        f"{_RATES[part]} {value:.0%}".replace("%", " %") for part, value in rates.items() if value is not None
    )
    explained = f"{parts}. " if parts else ""
    low, high = summary.ci_low, summary.ci_high
    if low is not None and high is not None and low <= 0.5 <= high:
        return f"{explained}0.5 means no discrimination: this run cannot be told apart from guessing."
    return f"{explained}0.5 means no discrimination."


def _largest(changes: Mapping[Key, float], limit: int) -> list[Key]:
    return sorted(changes, key=lambda key: (-abs(changes[key]), key))[:limit]


def _question_changes(
    a: ScoredRun, b: ScoredRun, keys: Sequence[Key], changes: Mapping[Key, tuple[str, float | None]]
) -> list[QuestionChange]:
    rows_a, rows_b = (first_answers(each, keys)[0] for each in (a, b))
    return [
        QuestionChange(
            question=b.questions[key],
            metric=changes[key][0],
            change=changes[key][1] or 0.0,
            a=rows_a[key],
            b=rows_b[key],
        )
        for key in keys
    ]


def first_answers(
    scored: ScoredRun, keys: Sequence[Key]
) -> tuple[dict[Key, QuestionRow], dict[Key, list[ContextView]]]:
    """Return a run's first answers to some questions, and their contexts."""
    by_question: dict[int, Any] = {scored.questions[key].pk: key for key in keys}
    answers = list(
        Answer.objects.filter(run=scored.run, question__in=by_question)
        .select_related("question")
        .prefetch_related("question__evidence")
        .order_by("-repeat")  # the first repeat, last here, is the one kept below
    )
    scores = load_answer_scores(scored.run, answers)
    samples = make_samples(run=scored.run, answers=answers)
    rows = {by_question[answer.question_id]: question_row(answer, scores) for answer in answers}
    contexts = {
        by_question[answer.question_id]: context_views(sample) for answer, sample in zip(answers, samples, strict=True)
    }
    return rows, contexts
