"""What another way of recognising refusals would change in a scored run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from evaluation.models import REFUSED, MetricScore, Run, RunMetric
from evaluation.scoring.scoring import ScoredSamples
from evaluation.scoring.summaries import TOTAL
from evaluation.spec import HEADLINE
from evaluation.types import Refusal, Sample, Summary


@dataclass(frozen=True, slots=True)
class Relabelled:
    """An answer that would be judged otherwise."""

    sample: Sample
    before: str
    after: Refusal


@dataclass(frozen=True, slots=True)
class ChangedScore:
    """A score as it is stored and as it would be."""

    metric: str
    before: float | None
    after: Summary

    @property
    def difference(self) -> float | None:
        """Return after − before, None where one is missing."""
        if self.before is None or self.after.mean is None:
            return None
        return self.after.mean - self.before


@dataclass(frozen=True, slots=True)
class RefusalPreview:
    """The consequence of other refusal settings; nothing of it is stored.

    `answerable` and `out_of_scope` count the labels (refused, partial, attempt, empty) among these questions.
    """

    answerable: Counter[str]
    out_of_scope: Counter[str]
    scores: list[ChangedScore]
    relabelled: list[Relabelled]


def preview(run: Run, scored: ScoredSamples) -> RefusalPreview:
    """Compare fresh scores with the stored ones."""
    stored = dict(
        RunMetric.objects.filter(scoring__run=run, scoring__current=True, group="").values_list("metric", "mean")
    )
    labels = _stored_labels(run)
    answerable: Counter[str] = Counter()
    out_of_scope: Counter[str] = Counter()
    relabelled = []
    for sample, refusal in zip(scored.samples, scored.refusals, strict=True):
        if sample.trace.error:
            continue
        (answerable if sample.answerable else out_of_scope)[refusal.label] += 1
        before = labels.get((sample.question_id, sample.repeat), "")
        if before and before != refusal.label:
            relabelled.append(Relabelled(sample, before, refusal))
    scores = [ChangedScore(name, stored.get(name), scored.summary(name)) for name in (*HEADLINE, TOTAL)]
    return RefusalPreview(answerable, out_of_scope, scores, relabelled)


def _stored_labels(run: Run) -> dict[tuple[str, int], str]:
    rows = MetricScore.objects.filter(scoring__run=run, scoring__current=True, metric=REFUSED)
    values = rows.values_list("answer__question__question_id", "answer__repeat", "details__label")
    return {(question, repeat): str(label or "") for question, repeat, label in values}
