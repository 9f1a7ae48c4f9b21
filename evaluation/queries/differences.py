"""Paired differences between two runs, from their stored scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from django.db.models import QuerySet

from evaluation.metrics.base import metrics
from evaluation.models import Answer, MetricScore, Question, Run, RunMetric, Scoring
from evaluation.queries.rows import PairedDifference
from evaluation.queries.sentences import difference_sentence
from evaluation.scoring.comparability import HowScored, measured_differently, other_formulas
from evaluation.scoring.diagnosis.losses import PRIMARY
from evaluation.scoring.scales import scale_of
from evaluation.scoring.summaries import TOTAL, metric_terms, total_weights
from evaluation.spec import (
    AGREEMENT,
    HEADLINE,
    JUDGE,
    METRIC_OPTIONS,
    REFUSALS,
    SCORES,
    EvaluationSpec,
    evaluation_settings,
)
from evaluation.statistics.intervals import Term
from evaluation.statistics.paired import Difference, paired_difference
from evaluation.types import Sample, Score
from rag_pipeline.types import Trace

Key = tuple[str, str]
"""A question's id and text: the same in two versions of a test set unless it was edited."""
_NO_VALUES: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True)
class ScoredRun:
    """A run's current scores, repeats averaged: `values[key][metric]`; a key is missing where no repeat was scored.

    `prompts` are those that the judge was asked with, `formulas` the revisions of the metrics' formulas.
    """

    run: Run
    spec: EvaluationSpec | None
    questions: dict[Key, Question]
    values: dict[Key, dict[str, float]]
    prompts: dict[str, str] = field(default_factory=dict)
    formulas: dict[str, int] = field(default_factory=dict)

    @cached_property
    def samples(self) -> dict[Key, Sample]:
        """The questions as samples without an answer."""
        return {
            key: Sample(each.question_id, each.pair_id, each.kind, Trace(each.text, ""))
            for key, each in self.questions.items()
        }

    @property
    def how(self) -> HowScored | None:
        """What the scores depend on; None without scores."""
        return None if self.spec is None else HowScored(self.spec, self.prompts, self.formulas)


def load_scores(run: Run, *, further: bool = False) -> ScoredRun:
    """Read a run's five scores, or with `further` those of all its metrics, in three queries."""
    return _load(run, {question.pk: question for question in _asked(run)}, further=further)


def load_scores_of(runs: Iterable[Run], *, further: bool = False) -> dict[int, ScoredRun]:
    """Read the scores of several runs as `load_scores` does, by id; the questions they share are read once."""
    runs = list(runs)
    asked: dict[int, set[int]] = {run.pk: set() for run in runs}
    for run_id, question_id in Answer.objects.filter(run__in=runs).order_by().values_list("run_id", "question_id"):
        asked[run_id].add(question_id)
    questions = {each.pk: each for each in Question.objects.filter(pk__in=set().union(*asked.values()))}
    found = {run.pk: {pk: each for pk, each in questions.items() if pk in asked[run.pk]} for run in runs}
    return {run.pk: _load(run, found[run.pk], further=further) for run in runs}


def _load(run: Run, questions: Mapping[int, Question], *, further: bool = False) -> ScoredRun:
    scoring = Scoring.objects.filter(run=run, current=True).first()
    if scoring is None:
        return ScoredRun(run, None, {}, {})
    keys = {pk: (question.question_id, question.text) for pk, question in questions.items()}
    collected: dict[Key, dict[str, list[float]]] = {}
    rows = _scores_that_count(scoring, (*HEADLINE, *(scoring.spec.get("metrics", ()) if further else ())))
    for question, metric, value in rows.values_list("answer__question_id", "metric", "value"):
        if value is not None:
            collected.setdefault(keys[question], {}).setdefault(metric, []).append(value)
    values = {
        key: {metric: sum(each) / len(each) for metric, each in found.items()} for key, found in collected.items()
    }
    asked = {keys[pk]: question for pk, question in questions.items()}
    return ScoredRun(run, EvaluationSpec.create(scoring.spec), asked, values, scoring.prompts, scoring.formulas)


def _scores_that_count(scoring: Scoring, names: Sequence[str]) -> QuerySet[MetricScore]:
    """Return the scores by the metrics called `names`, without those that say nothing alone.

    Where a run has no value, the rows that have one needed no judge. A metric of several parts lacks one also where a
    kind of question is missing; its rows count.
    """
    several = [name for name in names if (unit := metrics.find(name)) is not None and len(unit.parts) > 1]
    valueless = RunMetric.objects.filter(scoring=scoring, group="", mean=None).exclude(metric__in=several)
    return MetricScore.objects.filter(scoring=scoring, metric__in=names).exclude(metric__in=valueless.values("metric"))


def _asked(run: Run) -> QuerySet[Question]:
    return Question.objects.filter(pk__in=run.answers.order_by().values("question"))


def why_incomparable(a: ScoredRun, b: ScoredRun) -> str:
    """Return why no score of the two runs can be compared, or an empty string."""
    for each in (a, b):
        if each.spec is None:
            return f"{each.run} has no scores yet."
    if not a.questions.keys() & b.questions.keys():
        return "The two runs have no question in common: they used different test sets."
    fields = evaluation_settings(AGREEMENT, SCORES, REFUSALS)
    if _judged(a.spec) or _judged(b.spec):  # a judge says how well an answer agrees, by a metric with options
        fields |= evaluation_settings(JUDGE) | evaluation_settings(METRIC_OPTIONS)
    differing = [each.title for name, each in fields.items() if getattr(a.spec, name) != getattr(b.spec, name)]
    if differing:
        return (
            f"The two runs were scored with different settings ({', '.join(differing)}). "
            "Score one of them again with the settings of the other."
        )
    return ""


def _judged(spec: EvaluationSpec | None) -> bool:
    return spec is not None and "judge" in metrics.get(spec.agreement).needs


def other_formula_note(name: str, a: ScoredRun, b: ScoredRun) -> str:
    """Return that the two computed a score by different formulas, and the mend; empty where they did not."""
    labels = other_formulas(name, a.how, b.how) if a.how and b.how else []
    if not labels:
        return ""
    again = " and ".join(str(each.run) for each in (a, b) if each.how and each.how.older(name))
    return (
        f"These two were computed by different formulas of {', '.join(labels)}. "
        f"Score {again} again to compare them: the answers stay as they are."
    )


def paired_differences(a: ScoredRun, b: ScoredRun) -> dict[str, PairedDifference]:
    """Return b − a for the five scores and the total, over the questions that both runs scored."""
    problem = why_incomparable(a, b)
    if problem or b.spec is None:
        return {name: _missing(name, problem) for name in (*HEADLINE, TOTAL)}
    rows = {name: _difference_rows(a, b, name) for name in HEADLINE}
    found = {name: _noted(name, a, b) or _difference(name, _terms(name, rows[name]), [rows[name]]) for name in HEADLINE}
    return found | {TOTAL: _noted(TOTAL, a, b) or _total_difference(rows, total_weights(b.spec))}


def difference_terms(a: ScoredRun, b: ScoredRun, metric: str) -> list[Term] | None:
    """Return b − a in one score or the total as terms of `paired_difference`; None where it cannot be compared.

    Further metrics must have been loaded.
    """
    if b.spec is None or why_incomparable(a, b) or other_formula_note(metric, a, b):
        return None
    weights = total_weights(b.spec) if metric == TOTAL else {metric: 1.0}
    parts = [_terms(name, _difference_rows(a, b, name), weight) for name, weight in weights.items()]
    return None if None in parts else [each for part in parts for each in part or ()]


def _total_difference(
    rows: Mapping[str, Sequence[tuple[Sample, Score]]], weights: Mapping[str, float]
) -> PairedDifference:
    parts = [_terms(name, rows[name], weight) for name, weight in weights.items()]
    whole = None if None in parts else [each for part in parts for each in part or ()]
    return _difference(TOTAL, whole, [rows[name] for name in weights])


def _noted(metric: str, a: ScoredRun, b: ScoredRun) -> PairedDifference | None:
    """Return a difference in words where the two computed the score by different formulas."""
    note = other_formula_note(metric, a, b)
    return _missing(metric, note) if note else None


def question_changes(a: ScoredRun, b: ScoredRun) -> dict[Key, tuple[str, float | None]]:
    """Return, for every question that both runs asked, its primary score and b − a.

    None where one of the two did not score it, or by another formula.
    """
    other = {metric for metric in PRIMARY.values() if other_formula_note(metric, a, b)}
    changes: dict[Key, tuple[str, float | None]] = {}
    for key, question in b.questions.items():
        if key in a.questions:
            metric = PRIMARY[question.kind]
            before, after = (each.values.get(key, {}).get(metric) for each in (a, b))
            missing = before is None or after is None or metric in other
            changes[key] = (metric, None if missing else (after or 0.0) - (before or 0.0))
    return changes


def _difference_rows(a: ScoredRun, b: ScoredRun, metric: str) -> list[tuple[Sample, Score]]:
    rows = []
    for key, sample in b.samples.items():
        after = b.values.get(key, _NO_VALUES).get(metric)
        before = None if after is None else a.values.get(key, _NO_VALUES).get(metric)
        if before is not None and after is not None:
            rows.append((sample, Score(after - before)))
    return rows


def _terms(
    metric: str, rows: Sequence[tuple[Sample, Score]], weight: float = 1.0, widest: float = 0.0
) -> list[Term] | None:
    """Return the terms of a difference; it reaches as far as the metric's range, or `widest` where that has no end."""
    unit = metrics.get(metric)
    reach = scale_of(metric).span or widest
    terms = metric_terms(unit, rows, weight)
    return None if terms is None else [replace(term, low=-reach, high=reach) for term in terms]


def further_differences(a: ScoredRun, b: ScoredRun) -> list[PairedDifference]:
    """Return b − a for each further metric that both runs hold, in the order of b; in words where they measured it
    otherwise. One that neither run could score for any question is left out. Both must have been loaded with theirs.
    """
    if a.spec is None or b.spec is None or not a.questions.keys() & b.questions.keys():
        return []
    scored = {name for each in (a, b) for found in each.values.values() for name in found}
    return [_further(name, a, b) for name in b.spec.metrics if name in a.spec.metrics and name in scored]


def _further(name: str, a: ScoredRun, b: ScoredRun) -> PairedDifference:
    differing = measured_differently(name, a.how, b.how) if a.how and b.how else ["not scored"]
    note = other_formula_note(name, a, b)
    if differing:
        return _missing(name, note if note and len(differing) == 1 else f"measured differently: {', '.join(differing)}")
    rows = _difference_rows(a, b, name)
    widest = max((abs(found[name]) for each in (a, b) for found in each.values.values() if name in found), default=0.0)
    return _difference(name, _terms(name, rows, widest=widest), [rows])


def _difference(
    metric: str, terms: list[Term] | None, rows: Iterable[Sequence[tuple[Sample, Score]]]
) -> PairedDifference:
    if terms is None:
        return _missing(metric, "No questions were scored by both runs, or one kind of question is missing.")
    scale = scale_of(metric)
    found: Difference = paired_difference(terms, higher_is_better=scale.higher_is_better)
    n = len({sample.question_id for each in rows for sample, _ in each})
    label = metric_label(metric)
    return PairedDifference(
        metric=metric,
        label=label,
        mean_diff=found.mean,
        ci_low=found.low,
        ci_high=found.high,
        n=n,
        clusters=found.clusters,
        p=found.p,
        verdict=found.verdict,
        sentence=difference_sentence(label, found, n, scale),
    )


def _missing(metric: str, reason: str) -> PairedDifference:
    label = metric_label(metric)
    return PairedDifference(metric, label, None, None, None, 0, 0, None, "", reason, reason)


def metric_label(metric: str) -> str:
    """Return a metric's name on screen."""
    return "Total" if metric == TOTAL else metrics.get(metric).label
