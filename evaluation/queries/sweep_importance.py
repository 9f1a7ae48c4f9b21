"""Which settings of a sweep matter, from the scores of its runs."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np

from evaluation.experiments.importance import Importance, importance
from evaluation.models import Run, Scoring
from evaluation.queries.differences import difference_terms, load_scores_of
from evaluation.queries.sweep_table import SweepTable
from evaluation.statistics.paired import contributions


def importance_of(table: SweepTable) -> list[Importance]:
    """Return the share of each setting that was swept with several values; what did not get to the end is left out, and
    clones, of which the other half is missing.
    """
    own = [each for each in table.scored if each.configuration.of is None]
    rows = [each for each in own if each.run is not None and not each.can_keep]
    if len(table.spec.grid) < 2 or len(rows) < 3:
        return []
    tried = [(each.run, {name: each.configuration.swept[name] for name in table.spec.grid}) for each in rows]
    swept = tuple((run.pk, json.dumps(values)) for run, values in tried if run)
    scorings = Scoring.objects.filter(run__in=[run for run, _ in swept], current=True).order_by("id")
    return _importance(swept, tuple(scorings.values_list("id", flat=True)), table.score)


@lru_cache(maxsize=8)
def _importance(swept: tuple[tuple[int, str], ...], scorings: tuple[int, ...], score: str) -> list[Importance]:
    """`scorings`: of which state of the scores."""
    loaded = Run.objects.select_related("testset").in_bulk([run for run, _ in swept])
    scored = load_scores_of(loaded.values())
    first = scored[swept[0][0]]
    found = []
    for run, settings in swept:
        terms = difference_terms(first, scored[run], score)
        if terms:
            found.append((json.loads(settings), contributions(terms)))
    most = max((len(each) for _, each in found), default=0)
    alike = [(settings, changes) for settings, changes in found if len(changes) == most]
    return importance([settings for settings, _ in alike], np.array([changes for _, changes in alike])) if alike else []
