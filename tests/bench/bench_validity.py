"""How well the metrics without a judge agree with people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.metrics.base import MetricContext, make_metric, metrics
from evaluation.refusal.detection import RefusalDetector
from evaluation.spec import EvaluationSpec
from evaluation.statistics.intervals import wilson
from evaluation.types import Sample
from rag_pipeline.embedders.base import Embed, embedders
from rag_pipeline.settings.core import DEFAULT_REFUSAL
from tests.bench import bench_refusal
from tests.bench.judged_rows import (
    Judged,
    begin,
    begin_test,
    clapnq,
    clapnq_further,
    halueval_pairs,
    instruct_qa,
)
from tests.bench.people import Statistic, area, kendall, paired_difference, spearman, with_interval
from tests.bench.validity_table import table as table  # the bench's own

ORDER = 55
_BEYOND = frozenset(
    {"judge", "weights", "gold_ids", "evidence", "usage", "reference_contexts", "label", "other_answer"}
)
"""Inputs that these rows do not have."""
_LEFT_OUT = frozenset({"recall", "robustness", "knowledge_bounding"})
"""Made of others, or for runs alone; rules are left out too, since each run sets its own."""
_FEWEST = 50
_DIGITS = 6
"""Values are rounded: cosines of 1 differ in their last bits, and ranks would follow those."""
_STATISTICS: dict[str, Statistic] = {"AUROC": area, "Spearman": spearman, "Kendall": kendall}

Values = list[float | None]


def run(data_dir: Path) -> dict[str, Any]:
    """Score every judged answer with every metric that needs no judge, weights or ids, and compare with people."""
    embed = embedders.get("local")("all-MiniLM-L6-v2", "mean").embed_passages
    faithful, attributable, right = clapnq(data_dir), begin(data_dir), instruct_qa(data_dir)
    of_faithful, of_attributable, of_right = (_score(rows, embed) for rows in (faithful, attributable, right))
    asked = _question_cosines(faithful, embed)
    return {
        "clapnq": _against_marks(faithful, of_faithful, "faithfulness", _needing("contexts")),
        "begin": _against_marks(attributable, of_attributable, "attributable", _needing("contexts")),
        "instruct_qa": _against_marks(right, of_right, "correct", _needing("reference")),
        "grounded_minus_k": {
            "clapnq": _difference(faithful, of_faithful, "groundedness_offline", "k_precision"),
            "begin": _difference(attributable, of_attributable, "groundedness_offline", "k_precision"),
        },
        "correct_minus_recall": {"instruct_qa": _difference(right, of_right, "correctness_offline", "token_recall")},
        "nulls_last": {
            "clapnq": _nulls_last(faithful, of_faithful["groundedness_offline"]),
            "begin": _nulls_last(attributable, of_attributable["groundedness_offline"]),
        },
        "held_back": _held_back(faithful, attributable, embed),
        "ratings": _ratings(faithful, of_faithful | {"cosine of question and answer": asked}),
        "halueval": {name: _preference(halueval_pairs(data_dir), name, embed) for name in _needing("contexts")},
        "refusal": bench_refusal.run(data_dir)["as shipped"]["balanced_accuracy"],
    }


def _held_back(faithful: Sequence[Judged], attributable: Sequence[Judged], embed: Embed) -> dict[str, Any]:
    """Return both AUROCs over all rows, those held back too; rows without a score are below all others."""
    sets = {"clapnq": faithful, "clapnq, further": clapnq_further(), "begin": attributable, "begin, test": begin_test()}
    sets |= {
        "clapnq, all": [*sets["clapnq"], *sets["clapnq, further"]],
        "begin, all": [*sets["begin"], *sets["begin, test"]],
    }
    found = {}
    for name, rows in sets.items():
        samples, clusters = [row.sample for row in rows], [row.cluster for row in rows]
        marks = np.array([row.mark for row in rows], float)
        ours, baseline = (
            np.array([-1.0 if value is None else value for value in score_by(samples, metric, embed)])
            for metric in ("groundedness_offline", "k_precision")
        )
        found[name] = {
            "rows": len(rows),
            "bad": int((1 - marks).sum()),
            "groundedness_offline": with_interval(area, ours, marks, clusters),
            "k_precision": with_interval(area, baseline, marks, clusters),
            "difference": paired_difference(area, ours, baseline, marks, clusters),
        }
    return found


def _needing(what: str) -> list[str]:
    """Return the metrics without a judge that need `what`, with their variants."""
    return [name for name in _all_names() if what in metrics.get(name.partition(",")[0]).needs]


def _all_names() -> list[str]:
    found = [metric for metric in metrics if not metric.needs & _BEYOND and metric.group not in ("rules", "usage")]
    names = [metric.key for metric in found if metric.reads_answer and metric.key not in _LEFT_OUT]
    return sorted([*names, "k_precision, best context"])


def _score(rows: Sequence[Judged], embed: Embed) -> dict[str, Values]:
    return {name: score_by([row.sample for row in rows], name, embed) for name in _all_names()}


def score_by(samples: Sequence[Sample], name: str, embed: Embed) -> Values:
    """Return the samples' values by a metric, which may have a variant after a comma; None where it has none."""
    key, _, variant = name.partition(", ")
    options = {"metric_options": {key: {"best_context": True}}} if variant else {}
    spec = EvaluationSpec.create(options)
    refusals = RefusalDetector(embed, spec, DEFAULT_REFUSAL).classify_many([sample.trace.answer for sample in samples])
    context = MetricContext(spec, refusals, embed)
    agreement = make_metric(spec.agreement, spec).score_many(samples, context)
    context = MetricContext(spec, refusals, embed, agreement)
    values = [score.value for score in make_metric(key, spec).score_many(samples, context)]
    return [None if value is None else round(value, _DIGITS) for value in values]


def _question_cosines(rows: Sequence[Judged], embed: Embed) -> Values:
    questions = embed([row.sample.trace.question for row in rows])
    answers = embed([row.sample.trace.answer for row in rows])
    return [float(cosine) for cosine in (questions * answers).sum(axis=1)]


def _against_marks(
    rows: Sequence[Judged], values: dict[str, Values], rating: str, names: Sequence[str]
) -> dict[str, Any]:
    """Return each metric's three statistics with intervals, on the rows that it scores."""
    found: dict[str, Any] = {"rows": len(rows), "bad": sum(not row.mark for row in rows)}
    for name in names:
        scored = [place for place, value in enumerate(values[name]) if value is not None]
        if len(scored) < _FEWEST:
            continue
        given = np.array([values[name][place] for place in scored], float)
        if np.ptp(given) == 0:
            continue
        marks = np.array([rows[place].mark for place in scored], float)
        rated = np.array([rows[place].ratings[rating] for place in scored])
        clusters = [rows[place].cluster for place in scored]
        found[name] = {"n": len(scored)} | {
            title: with_interval(statistic, given, marks if title == "AUROC" else rated, clusters)
            for title, statistic in _STATISTICS.items()
        }
    return found


def _difference(rows: Sequence[Judged], values: dict[str, Values], one: str, other: str) -> dict[str, Any]:
    """Return both AUROCs on the rows that both score, and their paired difference."""
    scored = [
        place for place in range(len(rows)) if values[one][place] is not None and values[other][place] is not None
    ]
    first, second = (np.array([values[name][place] for place in scored], float) for name in (one, other))
    marks = np.array([rows[place].mark for place in scored], float)
    clusters = [rows[place].cluster for place in scored]
    return {
        "n": len(scored),
        one: area(first, marks),
        other: area(second, marks),
        "difference": paired_difference(area, first, second, marks, clusters),
    }


def _nulls_last(rows: Sequence[Judged], values: Values) -> dict[str, float]:
    """Return the AUROC over all rows with those that have no score placed below, or above, all others."""
    marks = np.array([row.mark for row in rows], float)
    placed = {
        name: np.array([end if value is None else value for value in values])
        for name, end in (("below", -1.0), ("above", 2.0))
    }
    return {"nulls": float(sum(value is None for value in values))} | {
        name: area(each, marks) for name, each in placed.items()
    }


def _ratings(rows: Sequence[Judged], values: dict[str, Values]) -> dict[str, dict[str, Any]]:
    """Return Spearman with every rating of ClapNQ for every metric."""
    found: dict[str, dict[str, Any]] = {}
    for name, given in values.items():
        scored = [place for place, value in enumerate(given) if value is not None]
        column = np.array([given[place] for place in scored], float)
        if len(scored) < _FEWEST or np.ptp(column) == 0:
            continue
        clusters = [rows[place].cluster for place in scored]
        found[name] = {
            rating: with_interval(
                spearman, column, np.array([rows[place].ratings[rating] for place in scored]), clusters, resamples=500
            )
            for rating in rows[0].ratings
        }
    return found


def _preference(pairs: Sequence[tuple[Sample, Sample]], name: str, embed: Embed) -> dict[str, float]:
    """Return how often the right answer is above the hallucinated one, ties as half, where both have a score."""
    values = score_by([sample for pair in pairs for sample in pair], name, embed)
    both = [(good, bad) for good, bad in zip(values[::2], values[1::2], strict=True) if None not in (good, bad)]
    won = math.fsum(1.0 if good > bad else 0.5 if good == bad else 0.0 for good, bad in both)  # type: ignore[operator]
    low, high = wilson(round(won), len(both)) if both else (math.nan, math.nan)
    return {"n": len(both), "accuracy": won / len(both) if both else math.nan, "low": low, "high": high}
