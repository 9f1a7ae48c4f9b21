"""Claim metrics where a question has several references: which of them counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.judge.claims.table import Claim, ClaimTable, Verdict
from evaluation.metrics.base import make_metric
from evaluation.metrics.claim_based import ClaimMetric
from evaluation.spec import EvaluationSpec
from evaluation.types import Sample
from rag_pipeline.types import Trace

ROW = Sample("q", "q", "simple", Trace("What?", ""))


def by_references(*rows: tuple[bool, ...]) -> ClaimTable:
    """Return a table of two claims of the answer, some in each reference, which has one claim itself."""
    made = [
        ClaimTable(
            tuple(Claim(str(at), (), Verdict(True), Verdict(stated)) for at, stated in enumerate(row)),
            (Claim("R", (), Verdict(all(row)), Verdict(all(row))),),
        )
        for row in rows
    ]
    return replace(made[0], alternatives=tuple(made[1:]))


@pytest.mark.parametrize(
    ("name", "value"),
    [("factual_similarity", 1.0), ("context_recall", 1.0), ("hallucination", 0.0), ("faithfulness", 1.0)],
)
def test_the_best_of_several_references_counts(name: str, value: float) -> None:
    unit = make_metric(name, EvaluationSpec.create({}))
    assert isinstance(unit, ClaimMetric)
    table = by_references((False, True), (True, True), (False, False))
    assert unit.read(ROW, table).value == value
    if name in ("factual_similarity", "context_recall"):
        assert unit.read(ROW, table).reason.endswith("by the best of 3 references")
        assert unit.read(ROW, replace(table, alternatives=())).value < 1  # type: ignore[operator]
