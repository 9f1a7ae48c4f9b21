"""A sweep as stored: its configurations and their runs, and by which score they are judged."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache

from django.db.models import Q, QuerySet

from evaluation.experiments.options import SweepSpec
from evaluation.experiments.race import FIRST_LOOK, looks
from evaluation.experiments.space import Configuration, Value, clone, widened
from evaluation.models import Run, Sweep, TestSet
from evaluation.queries.rows import RunRow
from evaluation.scoring.retrieval import BY_EVIDENCE
from evaluation.scoring.summaries import TOTAL
from evaluation.spec import HEADLINE

HOLDOUT = "holdout"
FRESH = "fresh"
"""In a sweep's state: its confirmation with fresh pairs, how many were asked for, of which number, the test set."""
CLONES, DROPPED, KEPT = "clones", "dropped", "kept"
"""In a sweep's state: configurations added with changes; those let go or stopped, by number; those to be kept."""
TRIALS = "trials"
"""In a guided sweep's state: the number of the configuration of each trial."""


def configurations_of(sweep: Sweep) -> list[Configuration]:
    """Return what a sweep runs, in the order of the grid, of a guided one what it has tried so far; then the clones.

    All show the settings that some clone changed.
    """
    found = own_configurations(sweep)
    clones = sweep.state.get(CLONES, [])
    if not clones:
        return found
    space = SweepSpec.from_json(sweep.spec).space
    by_number = {each.number: each for each in found}
    for stored in clones:
        changes = {name: Value(each["label"], each["settings"]) for name, each in stored["changes"]}
        by_number[stored["number"]] = clone(space, by_number[stored["of"]], changes, stored["number"])
    names = dict.fromkeys(name for each in by_number.values() for name in each.swept)
    return [widened(each, names) for each in by_number.values()]


def own_configurations(sweep: Sweep) -> list[Configuration]:
    """Return what a sweep runs without the clones."""
    if sweep.options["search"] == "guided":
        spec = SweepSpec.from_json(sweep.spec)
        tried = sweep.state.get(TRIALS, {})
        return [spec.trial(tried[key]) for key in sorted(tried, key=int)]
    numbers = set(sweep.plan["numbers"])
    return [each for each in _expanded(json.dumps(sweep.spec)) if each.number in numbers]


@lru_cache(maxsize=8)
def _expanded(spec: str) -> tuple[Configuration, ...]:
    """A sweep asks for its configurations again and again, and they stay the same."""
    return tuple(SweepSpec.from_json(json.loads(spec)).expand().configurations)


def planned_looks(sweep: Sweep) -> list[int]:
    """Return after how many pairs a race is looked at, the last being all of them; a grid asks all at once."""
    pairs = sweep.plan["pairs"]
    return looks(pairs) if sweep.options["search"] == "race" and pairs > FIRST_LOOK else [pairs]


def configuration_runs(sweep: Sweep) -> list[Run]:
    """Return the runs of a sweep's configurations, without those on holdout."""
    return list(_runs(sweep, sweep.spec["run"]["split"]))


def _runs(sweep: Sweep, split: str, testset: int | None = None) -> QuerySet[Run]:
    """Return the runs that a sweep made or took on a split of its test set, or of another one."""
    own = Q(sweep=sweep) | Q(taken_by=sweep)
    runs = Run.objects.filter(own, split=split, testset=testset or sweep.testset_id).distinct()
    return runs.select_related("task", "corpus", "testset__corpus").order_by("id")


def confirmation_runs(sweep: Sweep) -> list[Run]:
    """Return the runs on holdout: the recommended configuration, and the settings without the sweep."""
    if sweep.spec["run"]["split"] == HOLDOUT:
        return []
    return list(_runs(sweep, HOLDOUT))


def fresh_testset(sweep: Sweep) -> TestSet | None:
    """Return the pairs written afresh to confirm a sweep with, None where there are none."""
    written = sweep.state.get(FRESH, {}).get("testset")
    return TestSet.objects.select_related("task").filter(pk=written).first() if written else None


def fresh_runs(sweep: Sweep) -> list[Run]:
    """Return the runs on fresh pairs: the recommended configuration, and the settings without the sweep."""
    written = sweep.state.get(FRESH, {}).get("testset")
    return list(_runs(sweep, "all", written)) if written else []


def run_of(sweep: Sweep, fingerprint: str, split: str = "", testset: int | None = None) -> Run | None:
    """Return the run of a configuration, None where it was not begun."""
    runs = _runs(sweep, split or sweep.spec["run"]["split"], testset)
    return runs.filter(pipeline_fingerprint=fingerprint).first()


def holdout_seen(sweep: Sweep) -> list[Run]:
    """Return the earlier runs that asked the holdout questions of this test set: it is less fresh than it looks."""
    seen = Run.objects.filter(testset=sweep.testset_id, split__in=(HOLDOUT, "all")).exclude(sweep=sweep)
    return list(seen.filter(created__lt=sweep.created).order_by("id"))


def score_of(rows: Iterable[RunRow], *, retrieval_only: bool) -> str:
    """Return the score that configurations are judged by: the total, or else the first that all of them have."""
    if retrieval_only:
        return BY_EVIDENCE
    scored = [row for row in rows if row.metrics]
    for name in (TOTAL, *HEADLINE):
        if scored and all(name in row.metrics and row.metrics[name].mean is not None for row in scored):
            return name
    return TOTAL


def mean_of(row: RunRow, score: str) -> float | None:
    """Return a run's mean of a score, None where it has none."""
    return row.metrics[score].mean if score in row.metrics else None
