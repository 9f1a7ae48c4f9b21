"""Scores of different formulas are never compared."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from evaluation.models import MetricScore, Scoring
from evaluation.queries.comparison import score_cards
from evaluation.services.summaries import run_summary
from evaluation.spec import EvaluationSpec
from tests.compared import compare_runs
from tests.factories import make_run, make_testset, score_run

pytestmark = pytest.mark.django_db
NOTE = (
    "These two were computed by different formulas of Token recall. "
    "Score Old again to compare them: the answers stay as they are."
)


def test_what_is_made_of_the_changed_formula_has_no_difference_and_no_questions_won(monkeypatch):
    testset = make_testset()
    old = make_run(testset, {"p1s": "Paris"}, name="Old")
    monkeypatch.setattr("evaluation.metrics.token_recall.TokenRecall.revision", 2)
    new = make_run(testset)
    comparison = compare_runs(a=old, b=new)
    reasons = {each.metric: each.reason for each in comparison.differences}
    assert {name for name, reason in reasons.items() if reason == NOTE} == {"recall", "robustness", "total"}
    assert {each.metric for each in comparison.differences if each.verdict} == set(reasons) - {
        "recall",
        "robustness",
        "total",
    }
    assert (comparison.won, comparison.uncompared) == ([], 6)
    assert [(each.run, [unit.key for unit in each.metrics]) for each in comparison.older] == [(old, ["token_recall"])]
    recall = next(card for card in score_cards(run=new, previous=old) if card.metric == "recall")
    assert recall.previous is not None
    assert recall.previous.reason == NOTE
    assert run_summary(run=new)["formulas"]["token_recall"] == 2
    score_run(run=old, spec=EvaluationSpec.create(old.evaluation))
    again = compare_runs(a=old, b=new)
    assert all(each.reason != NOTE for each in again.differences)
    assert (again.older, again.won_count) == ([], 1)


def test_scorings_from_before_revisions_were_kept_are_told_by_their_details():
    first, second = (make_run(evaluation={"metrics": ["groundedness_offline"]}) for _ in range(2))
    Scoring.objects.update(formulas={})
    MetricScore.objects.filter(scoring__run=first, metric="groundedness_offline").update(details={"sentences": []})
    import_module("evaluation.migrations.0008_formulas_known_from_details").note_formulas(apps, None)
    assert first.current_scoring.formulas == {}
    assert second.current_scoring.formulas == {"groundedness_offline": 2}
