"""A run's metrics against the marks that people gave its answers, and against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.base import metrics
from evaluation.models import Answer, AnswerMark, MetricScore, Run, Scoring
from evaluation.scoring.comparability import HowScored, measured_differently
from evaluation.scoring.scales import Scale, scale_of
from evaluation.spec import HEADLINE, EvaluationSpec
from evaluation.statistics.calibration import Agreement, Marked, agreement, oriented
from evaluation.statistics.correlations import Correlation, correlations
from evaluation.types import Summary
from rag_pipeline.errors import ConfigError

WORDS = {"right": ("right", "wrong"), "grounded": ("grounded", "not grounded")}
MOST_MISJUDGED = 6
Values = dict[str, dict[int, float]]
"""Scores by metric and answer; an answer that a metric did not score is missing."""


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """A metric against one kind of mark."""

    metric: str
    label: str
    help: str
    scale: Scale
    found: Agreement

    @property
    def threshold(self) -> str:
        """From (or up to) which value answers are called right; in words where all are called alike."""
        best = self.found.best
        if best is None:
            return ""
        if best.constant:
            return "calls all alike"
        value = best.value if self.scale.higher_is_better else -best.value
        return f"{'≥' if self.scale.higher_is_better else '≤'} {self.scale.text(value)}"

    @property
    def auroc(self) -> Summary:
        """The AUROC as pages draw an interval."""
        found = self.found.auroc
        if found is None:
            return Summary(None, None, None, self.found.n, 0, self.found.reason)
        return Summary(found.mean, found.low, found.high, self.found.n, 0)

    @property
    def backwards(self) -> bool:
        """True when the metric surely orders answers the wrong way round."""
        return self.found.auroc is not None and self.found.auroc.high < 0.5


@dataclass(frozen=True, slots=True)
class Misjudged:
    """A marked answer that a metric, at its best threshold, calls otherwise."""

    answer: Answer
    value: str
    mark: str


@dataclass(frozen=True, slots=True)
class AspectTable:
    """All metrics against one kind of mark, the best first; `unmeasured` are those that nothing can be said of yet.

    `misjudged` are the answers that `examined`, the best metric unless another is asked for, is most wrong about.
    """

    aspect: str
    words: tuple[str, str]
    marked: int
    positive: int
    rows: list[MetricAgreement]
    unmeasured: list[MetricAgreement]
    examined: MetricAgreement | None
    misjudged: list[Misjudged]


@dataclass(frozen=True, slots=True)
class CorrelationTable:
    """Metrics with each other, turned so that higher is better: `cells[i][j]` belongs to `labels[i]`, `labels[j]`.

    `constant` are the labels of those left out because all answers have the same score.
    """

    labels: list[str]
    cells: list[list[Correlation]]
    constant: list[str]

    @property
    def rows(self) -> list[tuple[str, list[Correlation]]]:
        """Each metric's label with its row of the table."""
        return list(zip(self.labels, self.cells, strict=True))


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the page Calibration shows. `runs` are those whose answers count; `left_out` says which do not, and why."""

    runs: list[Run]
    left_out: list[str]
    aspects: list[AspectTable]
    correlations: CorrelationTable


def calibrate(run: Run, *, pooled: bool = False, examined: str = "") -> Calibration:
    """Return how the metrics of a run's current scoring agree with its marks, and with each other.

    `pooled` takes the marked answers of all runs on the same test set; of each only the metrics that were scored with
    the same settings as here. `examined` is the metric whose misjudged answers are shown. Raises ConfigError for a run
    without scores.
    """
    scoring = run.current_scoring
    if scoring is None:
        raise ConfigError(f"{run} has no scores yet. They come with its last answer.", "run")
    spec = EvaluationSpec.create(scoring.spec)
    names = [name for name in (*HEADLINE, *spec.metrics) if metrics.find(name)]
    scorings, left_out = _scorings(run, scoring, spec, names, pooled)
    values: Values = {name: {} for name in names}
    for each, usable in scorings.items():
        _load(each, usable, values)
    runs = [each.run for each in scorings]
    pairs, marks = _pairs(runs), _marks(runs)
    return Calibration(
        runs=runs,
        left_out=left_out,
        aspects=[_table(aspect, names, values, marks.get(aspect, {}), pairs, examined) for aspect in WORDS],
        correlations=_correlations(names, values, list(pairs)),
    )


def _scorings(
    run: Run, own: Scoring, spec: EvaluationSpec, names: Sequence[str], pooled: bool
) -> tuple[dict[Scoring, list[str]], list[str]]:
    """Return the scorings that count, each with its metrics that can stand beside the others, and who is left out."""
    found: dict[Scoring, list[str]] = {own: list(names)}
    here = HowScored(spec, own.prompts, own.formulas)
    left_out = []
    others = Scoring.objects.filter(run__testset=run.testset_id, current=True).exclude(pk=own.pk)
    others = others.filter(run__in=AnswerMark.objects.values("answer__run")).select_related("run").order_by("pk")
    for each in others if pooled else []:
        theirs = HowScored(EvaluationSpec.create(each.spec), each.prompts, each.formulas)
        held = (*HEADLINE, *theirs.spec.metrics)
        usable = [name for name in names if name in held and not measured_differently(name, here, theirs)]
        if usable:
            found[each] = usable
        else:
            left_out.append(f"{each.run} was scored with other settings")
    return found, left_out


def _load(scoring: Scoring, names: Sequence[str], values: Values) -> None:
    rows = MetricScore.objects.filter(scoring=scoring, metric__in=names).values_list("metric", "answer_id", "value")
    for metric, answer, value in rows:
        if value is not None:
            values[metric][answer] = value


def _pairs(runs: Sequence[Run]) -> dict[int, str]:
    """Return the pair that each answer belongs to, by the answer's id, in the order of the answers."""
    answers = Answer.objects.filter(run__in=runs, error="").order_by("pk")
    return dict(answers.values_list("pk", "question__pair_id"))


def _marks(runs: Sequence[Run]) -> dict[str, dict[int, bool]]:
    """Return the marks of runs by aspect and answer."""
    found: dict[str, dict[int, bool]] = {}
    for answer, aspect, value in AnswerMark.objects.filter(answer__run__in=runs).values_list(
        "answer_id", "aspect", "value"
    ):
        found.setdefault(aspect, {})[answer] = value
    return found


def _table(
    aspect: str,
    names: Sequence[str],
    values: Values,
    marks: Mapping[int, bool],
    pairs: Mapping[int, str],
    examined: str,
) -> AspectTable:
    words = WORDS[aspect]
    found = [_agreement(name, values[name], marks, pairs, words) for name in names]
    measured = [each for each in found if each.found.auroc is not None]
    measured.sort(key=lambda each: -(each.found.auroc.mean if each.found.auroc else 0.0))
    looked_at = next((each for each in measured if each.metric == examined), measured[0] if measured else None)
    return AspectTable(
        aspect=aspect,
        words=words,
        marked=len(marks),
        positive=sum(marks.values()),
        rows=measured,
        unmeasured=[each for each in found if each.found.auroc is None],
        examined=looked_at,
        misjudged=_misjudged(looked_at, values[looked_at.metric], marks, words) if looked_at else [],
    )


def _misjudged(
    metric: MetricAgreement, values: Mapping[int, float], marks: Mapping[int, bool], words: tuple[str, str]
) -> list[Misjudged]:
    """Return the answers on the wrong side of the metric's best threshold, the farthest from it first."""
    best = metric.found.best
    if best is None or best.constant:
        return []
    sign = 1.0 if metric.scale.higher_is_better else -1.0
    beyond = {answer: sign * values[answer] - best.value for answer in marks if answer in values}
    wrong = [answer for answer, distance in beyond.items() if (distance >= 0) != marks[answer]]
    shown = sorted(wrong, key=lambda answer: (-abs(beyond[answer]), answer))[:MOST_MISJUDGED]
    answers = Answer.objects.select_related("question", "run").defer("contexts", "prompt").in_bulk(shown)
    return [
        Misjudged(answers[answer], metric.scale.text(values[answer]), words[0 if marks[answer] else 1])
        for answer in shown
    ]


def _agreement(
    name: str, values: Mapping[int, float], marks: Mapping[int, bool], pairs: Mapping[int, str], words: tuple[str, str]
) -> MetricAgreement:
    unit, scale = metrics.get(name), scale_of(name)
    both = [answer for answer in pairs if answer in marks and answer in values]
    scores = oriented([values[answer] for answer in both], higher_is_better=scale.higher_is_better)
    rows = Marked.of(scores, [marks[answer] for answer in both], [pairs[answer] for answer in both])
    return MetricAgreement(name, unit.label, unit.help, scale, agreement(rows, words=words))


def _correlations(names: Sequence[str], values: Values, answers: Sequence[int]) -> CorrelationTable:
    """Return the table of the metrics that tell at least two answers apart."""
    scored = [name for name in names if values[name]]
    shown = [name for name in scored if len(set(values[name].values())) > 1]
    columns = []
    for name in shown:
        sign = 1.0 if scale_of(name).higher_is_better else -1.0
        columns.append(np.array([sign * values[name].get(answer, np.nan) for answer in answers]))
    labels = {name: metrics.get(name).label for name in scored}
    constant = [labels[name] for name in scored if name not in shown]
    return CorrelationTable([labels[name] for name in shown], correlations(columns), constant)
