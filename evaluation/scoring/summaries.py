"""Scores of many answers to one number with its uncertainty: whole runs, their groups, the total."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.metrics.base import POOLED, Metric, kind_words, metrics
from evaluation.spec import HEADLINE, EvaluationSpec
from evaluation.statistics.intervals import Cluster, Estimate, Term, estimate
from evaluation.types import JUDGE, NO_VERDICT, NOT_NEEDED, Sample, Score, Summary

TOTAL = "total"
TOTAL_HIGH = 5.0
TWIN_LOSS = "twin_loss"

Summaries = dict[tuple[str, str], Summary]
"""By metric and group; the group is empty for the whole run."""
Rows = Sequence[tuple[Sample, Score]]


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """Rows with the same metadata: how many, and each metric over them."""

    rows: int
    metrics: dict[str, Summary]


def cluster_of(sample: Sample) -> Cluster:
    """Return what is resampled as one: the twin pair with all its repeats, within answerable or out-of-scope."""
    stratum = "answerable" if sample.answerable else "out_of_scope"
    return stratum, sample.pair_id or sample.question_id


def metric_terms(metric: type[Metric], rows: Rows, weight: float = 1.0) -> list[Term] | None:
    """Return the terms of a metric's run value; None when one of its parts has no scored row, or no verdict."""
    if _in_vain(rows):
        return None
    unit = metric()
    terms = []
    for part in metric.parts:
        scored = [(sample, score.value) for sample, score in rows if unit.part(sample) == part]
        values = [(sample, value) for sample, value in scored if value is not None]
        if not values:
            return None
        terms.append(
            Term(
                [value for _, value in values],
                [cluster_of(sample) for sample, _ in values],
                weight / len(metric.parts),
                metric.low,
                metric.high,
            )
        )
    return terms


def summarise(samples: Sequence[Sample], scores: Mapping[str, Sequence[Score]], spec: EvaluationSpec) -> Summaries:
    """Return every metric's summary over the run and its groups, and the total."""
    summaries: Summaries = {}
    for key, column in scores.items():
        metric = metrics.get(key)
        rows = list(zip(samples, column, strict=True))
        summaries[key, ""] = _whole(metric, rows)
        for group, chosen in _groups(metric, rows):
            summaries[key, group] = _mean(metric, chosen)
        for reading, chosen in _readings(metric, rows).items():
            summaries[key, reading] = _mean(metric, chosen)
    if "recall" in scores and "robustness" in scores:
        summaries["robustness", TWIN_LOSS] = twin_loss(samples, scores)
    if all(name in scores for name in HEADLINE):
        summaries[TOTAL, ""] = _total(samples, scores, spec, summaries)
    return summaries


def summarise_by(samples: Sequence[Sample], scores: Mapping[str, Sequence[Score]], key: str) -> dict[str, GroupSummary]:
    """Return the metrics over the samples of each value of `metadata[key]`, in the order of the values."""
    places: dict[str, list[int]] = {}
    for place, sample in enumerate(samples):
        if key in sample.metadata:
            places.setdefault(str(sample.metadata[key]), []).append(place)
    return {
        value: GroupSummary(
            len(found),
            {
                name: _whole(metrics.get(name), [(samples[at], column[at]) for at in found])
                for name, column in scores.items()
            },
        )
        for value, found in sorted(places.items())
    }


def _whole(metric: type[Metric], rows: Rows) -> Summary:
    terms = metric_terms(metric, rows)
    n = sum(score.value is not None for _, score in rows)
    if terms is None:
        return Summary(None, None, None, n, len(rows) - n, why_empty(metric, rows))
    details: dict[str, object] = {"applicable": sum(sample.kind in metric.kinds for sample, _ in rows)}
    if len(terms) > 1:
        details |= {part: term.mean for part, term in zip(metric.parts, terms, strict=True)}
        details |= {reading: _mean(metric, chosen).mean for reading, chosen in _readings(metric, rows).items()}
    details |= _pooled(metric, rows)
    return _summary(estimate(terms), n, len(rows) - n, details)


def _mean(metric: type[Metric], rows: Rows) -> Summary:
    """Return the plain mean of a group."""
    scored = [(sample, score.value) for sample, score in rows if score.value is not None]
    if not scored or _in_vain(rows):
        return Summary(None, None, None, len(scored), len(rows) - len(scored), why_empty(metric, rows))
    term = Term(
        [value for _, value in scored], [cluster_of(sample) for sample, _ in scored], low=metric.low, high=metric.high
    )
    details = {"applicable": len(rows), **_pooled(metric, rows)}
    return _summary(estimate([term]), len(scored), len(rows) - len(scored), details)


def _readings(metric: type[Metric], rows: Rows) -> dict[str, Rows]:
    """Return the rows by each further reading of a metric that any of them has, with its values for scores."""
    found: dict[str, Rows] = {}
    for name in metric.readings:
        own = [(sample, Score(float(score.details[name]))) for sample, score in rows if name in score.details]
        if own:
            found[name] = own
    return found


def _pooled(metric: type[Metric], rows: Rows) -> dict[str, object]:
    """Return the sums behind a mean of ratios, such as {"pooled": [134, 280]}, where the metric counts something."""
    counts = [score.details[POOLED] for _, score in rows if metric.pooled and POOLED in score.details]
    return {POOLED: [sum(column) for column in zip(*counts, strict=True)]} if counts else {}


def _summary(found: Estimate, n: int, n_null: int, details: Mapping[str, object]) -> Summary:
    return Summary(found.mean, found.low, found.high, n, n_null, "", {"interval": found.method, **details})


def _in_vain(rows: Rows) -> str:
    """Return why a mean would mislead: a judge gave no verdict at all, and the rows with a score needed none.

    Empty where that is not so. Refusals alone, 0 without asking, would pass for a run whose answers are all bad.
    """
    reasons = Counter(score.reason for _, score in rows if score.details.get(JUDGE) == NO_VERDICT)
    scored = [score for _, score in rows if score.value is not None]
    if not reasons or any(score.details.get(JUDGE) != NOT_NEEDED for score in scored):
        return ""
    reason = reasons.most_common(1)[0][0]
    rows_with_score = "1 row with a score" if len(scored) == 1 else f"{len(scored)} rows with a score"
    return f"{reason} (the {rows_with_score} needed no judge)" if scored else reason


def why_empty(metric: type[Metric], rows: Rows) -> str:
    """Return why a metric has no value for a run: a kind of question is missing, or the rows' own commonest reason."""
    if in_vain := _in_vain(rows):
        return in_vain
    unit = metric()
    for part in metric.parts:
        concerned = [
            (sample, score) for sample, score in rows if sample.kind in metric.kinds and unit.part(sample) == part
        ]
        if not concerned:
            kinds = {"attempted": "answerable", "refused": "out-of-scope"}.get(part, kind_words(metric.kinds))
            return f"there are no {kinds} questions"
        reasons = Counter(score.reason for _, score in concerned if score.value is None)
        if reasons and sum(reasons.values()) == len(concerned):
            return reasons.most_common(1)[0][0]
    return "nothing could be scored"


def _groups(metric: type[Metric], rows: Rows) -> Iterable[tuple[str, Rows]]:
    """Yield the parts of a run that are shown apart."""
    if metric.parts != ("",):
        unit = metric()
        yield from _by(rows, unit.part)
    if metric.kinds == {"complex"}:
        twins = [row for row in rows if row[0].kind == "complex"]
        yield from _by(twins, lambda sample: f"transformation:{sample.transformation or 'none'}")
        yield from _by(twins, lambda sample: f"error:{sample.error or 'none'}")
    elif "complex" in metric.kinds:
        answerable = [row for row in rows if row[0].answerable]
        yield from _by(answerable, lambda sample: f"kind:{sample.kind}")
    if "out_of_scope" in metric.kinds:
        outside = [row for row in rows if row[0].kind == "out_of_scope" and row[0].transformation]
        yield from _by(outside, lambda sample: sample.transformation)


def _by(rows: Rows, name: Callable[[Sample], str]) -> Iterable[tuple[str, Rows]]:
    groups: dict[str, list[tuple[Sample, Score]]] = {}
    for row in rows:
        groups.setdefault(name(row[0]), []).append(row)
    return sorted(groups.items())


def twin_loss(samples: Sequence[Sample], scores: Mapping[str, Sequence[Score]]) -> Summary:
    """Return how much agreement the complex twin loses against its simple question, over pairs scored in both."""
    simple = _by_pair(samples, scores["recall"])
    twins = _by_pair(samples, scores["robustness"])
    pairs = [pair for pair in simple if pair in twins]
    n_null = len(simple.keys() | twins.keys()) - len(pairs)
    if not pairs:
        return Summary(None, None, None, 0, n_null, "no simple question and its complex twin were both scored")
    losses = [_average(simple[pair]) - _average(twins[pair]) for pair in pairs]
    found = estimate([Term(losses, pairs, low=-1.0)])
    return _summary(found, len(pairs), n_null, {"applicable": len(pairs) + n_null})


def _by_pair(samples: Sequence[Sample], scores: Sequence[Score]) -> dict[Cluster, list[float]]:
    found: dict[Cluster, list[float]] = {}
    for sample, score in zip(samples, scores, strict=True):
        if score.value is not None:
            found.setdefault(cluster_of(sample), []).append(score.value)
    return found


def _average(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def total_weights(spec: EvaluationSpec) -> dict[str, float]:
    """Return by how much each headline score counts in the total (0..5); scores without weight are left out."""
    weights = {name: spec.weight(name) for name in HEADLINE if spec.weight(name) > 0}
    whole = sum(weights.values())
    return {name: TOTAL_HIGH * weight / whole for name, weight in weights.items()}


def _no_total(missing: Sequence[str], summaries: Summaries) -> str:
    labels = [metrics.get(name).label for name in missing]
    if len(labels) == 1:
        return f"no total without {labels[0]} ({summaries[missing[0], ''].reason})"
    return f"no total without {', '.join(labels[:-1])} and {labels[-1]}"


def _total(
    samples: Sequence[Sample], scores: Mapping[str, Sequence[Score]], spec: EvaluationSpec, summaries: Summaries
) -> Summary:
    weights = total_weights(spec)
    missing = [name for name in weights if summaries[name, ""].mean is None]
    if missing:
        return Summary(None, None, None, 0, len(samples), _no_total(missing, summaries))
    terms: list[Term] = []
    counted = [False] * len(samples)
    for name, weight in weights.items():
        terms += metric_terms(metrics.get(name), list(zip(samples, scores[name], strict=True)), weight) or []
        counted = [seen or score.value is not None for seen, score in zip(counted, scores[name], strict=True)]
    n = sum(counted)
    return _summary(estimate(terms), n, len(samples) - n, {"weights": {name: spec.weight(name) for name in weights}})
