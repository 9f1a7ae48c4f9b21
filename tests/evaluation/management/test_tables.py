"""Scores as text, for terminals."""

from __future__ import annotations

import pytest

from evaluation.management.tables import score_table
from tests.factories import make_run

pytestmark = pytest.mark.django_db


def test_every_metric_stands_in_its_own_unit_and_the_columns_stay_aligned():
    names = ["reference_context_recall", "latency_s", "cost_usd", "mrr"]
    run = make_run(evaluation={"metrics": names})
    stored = run.current_scoring.metrics
    stored.filter(metric="latency_s").update(mean=1.234, ci_low=0.0421, ci_high=12.5)
    stored.filter(metric="mrr").update(mean=None, reason="nothing could be scored")
    lines = score_table(run).splitlines()
    by_name = {line.split()[0]: line for line in lines}
    assert by_name["latency_s"].split()[1:] == ["1.2", "s", "42", "ms", "–", "12.5", "s", "8"]
    assert by_name["mrr"].split()[1:] == ["—", "nothing", "could", "be", "scored"]
    assert by_name["recall"].endswith("3")
    numbered = [line for name, line in by_name.items() if name not in ("mrr", "cost_usd")]
    assert len({len(line) for line in numbered}) == 1
